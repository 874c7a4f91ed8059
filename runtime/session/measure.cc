#include "runtime/session/measure.h"

#include <algorithm>
#include <chrono>

#include "runtime/sample/random.h"
#include "runtime/session/generate.h"

namespace aprx {

namespace {

double rate(int64_t tokens, double seconds) { return static_cast<double>(tokens) / std::max(seconds, 1e-9); }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

uint64_t vocabulary_of(const Executor& executor) {
  const Graph& graph = executor.route().graph();
  return static_cast<uint64_t>(graph.tensor(graph.logits).shape.back());
}

// The same tokens every time.
std::vector<int32_t> some_tokens(int64_t count, uint64_t vocabulary) {
  Random random(1);
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  for (int32_t& token : tokens) token = static_cast<int32_t>(random.next() % vocabulary);
  return tokens;
}

}  // namespace

double Timings::best() const { return rate(tokens, *std::ranges::min_element(seconds)); }

double Timings::worst() const { return rate(tokens, *std::ranges::max_element(seconds)); }

double Timings::median() const {
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  return rate(tokens, sorted[sorted.size() / 2]);
}

Result<Timings> measure_prefill(Executor& executor, int64_t tokens, int runs, const OnRun& on_run) {
  const std::vector<int32_t> prompt = some_tokens(tokens, vocabulary_of(executor));
  std::vector<float> logits(vocabulary_of(executor));
  Timings timings{tokens, {}};
  for (int run = 0; run < runs; ++run) {
    auto state = executor.new_state();
    if (!state) return state.error();
    const auto start = std::chrono::steady_clock::now();
    if (auto ok = prefill(executor, *state, prompt, logits); !ok) return ok.error();
    timings.seconds.push_back(seconds_since(start));
    on_run();
  }
  return timings;
}

Result<Timings> measure_decode(Executor& executor, int64_t tokens, int64_t depth, int runs,
                               const OnRun& on_run) {
  const std::vector<int32_t> all = some_tokens(depth + tokens, vocabulary_of(executor));
  const std::span<const int32_t> behind = std::span(all).first(static_cast<size_t>(depth));
  std::vector<float> logits(vocabulary_of(executor));
  Timings timings{tokens, {}};
  for (int run = 0; run < runs; ++run) {
    auto state = executor.new_state();
    if (!state) return state.error();
    if (auto ok = prefill(executor, *state, behind, logits); !ok) return ok.error();
    const auto start = std::chrono::steady_clock::now();
    for (const int32_t& token : std::span(all).subspan(behind.size())) {
      if (auto ok = prefill(executor, *state, std::span(&token, 1), logits); !ok) return ok.error();
    }
    timings.seconds.push_back(seconds_since(start));
    on_run();
  }
  return timings;
}

}  // namespace aprx
