// Kernels give the same bits on any number of threads.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <thread>
#include <vector>

#include "aprx/conformance/call.hpp"
#include "aprx/conformance/reference.hpp"

namespace {

using aprx::Attr;
using aprx::DType;
using aprx::Op;
using aprx::Role;
using aprx::Word;
using aprx::conformance::Call;
using aprx::conformance::reference_rows;

constexpr uint32_t kWorkers = 3;

void run_on_threads(void*, uint32_t tasks, aprx_task_fn body, void* argument) {
  std::atomic<uint32_t> next = 0;
  std::vector<std::jthread> threads;
  for (uint32_t worker = 0; worker < kWorkers; ++worker) {
    threads.emplace_back([&, worker] {
      for (uint32_t task = next++; task < tasks; task = next++) body(argument, task, worker);
    });
  }
}

aprx_host threaded_host() {
  aprx_host host{};
  host.struct_size = sizeof host;
  host.parallel = run_on_threads;
  host.workers = [](void*) { return kWorkers; };
  host.cancelled = [](void*) { return 0U; };
  return host;
}

std::vector<float> random_values(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 0.3F);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

void check_same(Call call, Role changed) {
  Call threaded = call;
  const aprx_host host = threaded_host();
  call.run(reference_rows());
  threaded.run(reference_rows(), &host);
  CHECK(threaded.floats(changed) == call.floats(changed));
  CHECK(threaded.floats(Role::kY) == call.floats(Role::kY));
}

}  // namespace

TEST_CASE("linear, attention and the delta rule don't depend on the number of threads") {
  const auto w = random_values(37 * 33, 1);
  Call linear(Op::kLinear);
  linear.input(Role::kX, {5, 33}, random_values(5 * 33, 2)).output(Role::kY, {5, 37});
  linear.weight(Role::kW, DType::kF32, {37, 33}, std::as_bytes(std::span(w)));
  check_same(linear, Role::kY);

  Call attention(Op::kAttention);
  attention.input(Role::kQ, {5, 6, 17}, random_values(5 * 6 * 17, 3)).output(Role::kY, {5, 6, 17});
  attention.integers(Role::kPos, std::vector<int32_t>{3, 4, 5, 6, 7});
  attention.state(Role::kKCache, {9, 2, 17}, random_values(9 * 2 * 17, 4));
  attention.state(Role::kVCache, {9, 2, 17}, random_values(9 * 2 * 17, 5));
  attention.real(Attr::kScale, 0.3).real(Attr::kSoftcap, 0).integer(Attr::kWindow, 0);
  check_same(attention, Role::kY);

  Call delta(Op::kGatedDeltaRule);
  delta.input(Role::kQ, {7, 2, 9}, random_values(7 * 2 * 9, 6))
      .input(Role::kK, {7, 2, 9}, random_values(126, 7));
  delta.input(Role::kV, {7, 4, 5}, random_values(7 * 4 * 5, 8)).output(Role::kY, {7, 4, 5});
  delta.input(Role::kG, {7, 4}, std::vector<float>(28, -0.1F))
      .input(Role::kBeta, {7, 4}, random_values(28, 9));
  delta.state(Role::kDeltaState, {4, 5, 9}, random_values(4 * 5 * 9, 10));
  delta.word(Attr::kHeadMap, Word::kBlocked).real(Attr::kScale, 1.0 / 3);
  check_same(delta, Role::kDeltaState);
}
