// However the tokens of a sequence are cut into runs, the logits are the same.
#include <cmath>

#include "tests/support/test_host.h"

using namespace aprx;
using namespace aprx::test;

namespace {

// The 17 tokens of "What is the capital of France?" in chat form, then its answer, six times over:
// long enough to cross pieces of 64.
std::vector<int32_t> some_tokens() {
  const std::vector<int32_t> once = {4088, 265, 260, 198, 303, 282, 263, 307,  271, 2943, 30,  4089, 198,
                                     4088, 641, 273, 198, 315, 307, 271, 2943, 282, 2941, 258, 13,   4089};
  std::vector<int32_t> tokens;
  for (int i = 0; i < 6; ++i) tokens.insert(tokens.end(), once.begin(), once.end());
  return tokens;
}

std::vector<float> logits_in_pieces(Executor& executor, const std::vector<int32_t>& tokens, size_t piece) {
  auto state = executor.new_state();
  REQUIRE(state.ok());
  const Graph& graph = executor.route().graph();
  const auto width = static_cast<size_t>(graph.tensor(graph.logits).shape.back());
  std::vector<float> logits(tokens.size() * width);
  for (size_t at = 0; at < tokens.size(); at += piece) {
    const size_t n = std::min(piece, tokens.size() - at);
    std::vector<int32_t> rows(n);
    for (size_t i = 0; i < n; ++i) rows[i] = static_cast<int32_t>(i);
    auto ok = executor.run(*state, std::span(tokens).subspan(at, n), rows,
                           std::span(logits).subspan(at * width, n * width));
    REQUIRE(ok.ok());
  }
  return logits;
}

double lowest_cosine(const std::vector<float>& a, const std::vector<float>& b, size_t width) {
  double lowest = 1;
  for (size_t at = 0; at < a.size(); at += width) {
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (size_t i = at; i < at + width; ++i) {
      ab += static_cast<double>(a[i]) * b[i];
      aa += static_cast<double>(a[i]) * a[i];
      bb += static_cast<double>(b[i]) * b[i];
    }
    lowest = std::min(lowest, ab / std::sqrt(aa * bb));
  }
  return lowest;
}

void check_splits(const std::string& backend, DType kv, double bar) {
  LoadedModel model = load_model(
      demo_model(),
      {.backends = {backend}, .context = 256, .kv_dtype = kv, .wants_all_logits = true, .threads = 2});
  const std::vector<int32_t> tokens = some_tokens();
  const std::vector<float> whole = logits_in_pieces(*model.executor, tokens, 156);
  const size_t width = whole.size() / tokens.size();
  for (const size_t piece : {size_t{64}, size_t{7}, size_t{1}}) {
    INFO(backend << " in pieces of " << piece);
    CHECK(lowest_cosine(whole, logits_in_pieces(*model.executor, tokens, piece), width) >= bar);
  }
}

}  // namespace

TEST_CASE("one batch, pieces of 64 and 7, and token by token agree on the CPU") {
  check_splits("cpu", DType::kF16, 0.9995);
  check_splits("cpu", DType::kQ8_0, 0.9995);
}

TEST_CASE("one batch, pieces of 64 and 7, and token by token agree in the reference") {
  check_splits("reference", DType::kF32, 0.9999999);
}

TEST_CASE("the CPU agrees with the scalar reference on the demo model at every position") {
  const ModelOptions cpu{.backends = {"cpu"}, .context = 256, .wants_all_logits = true, .threads = 2};
  const ModelOptions yardstick{.backends = {"reference"},
                               .context = 256,
                               .kv_dtype = DType::kF32,
                               .wants_all_logits = true,
                               .threads = 2};
  LoadedModel fast = load_model(demo_model(), cpu);
  LoadedModel exact = load_model(demo_model(), yardstick);
  const std::vector<int32_t> tokens = some_tokens();
  const std::vector<float> a = logits_in_pieces(*fast.executor, tokens, 156);
  const std::vector<float> b = logits_in_pieces(*exact.executor, tokens, 156);
  CHECK(lowest_cosine(a, b, a.size() / tokens.size()) >= 0.999);
}
