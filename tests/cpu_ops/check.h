// Compares the operators with the scalar reference, on every target that the machine has, with one thread and
// with three, which must agree bit for bit.
#pragma once

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "aprx/conformance/call.hpp"
#include "aprx/conformance/reference.hpp"
#include "hwy/highway.h"
#include "plugins/cpu_simd/ops/kernels.h"

namespace aprx::test {

using conformance::Call;
using conformance::normalized_error;
using conformance::reference_rows;
using cpu::op_rows;
using Values = std::vector<float>;

// Of docs/operators.md.
inline constexpr double kTight = 1e-6;
inline constexpr double kNormal = 1e-5;

inline Values random_values(int64_t count, uint32_t seed, float spread = 1.0F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, spread);
  Values values(static_cast<size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

// Positions first, first + 1, …
inline std::vector<int32_t> positions_from(int32_t first, int64_t count) {
  std::vector<int32_t> positions;
  for (int64_t t = 0; t < count; ++t) positions.push_back(first + static_cast<int32_t>(t));
  return positions;
}

// A host whose loops run on `workers` threads.
inline aprx_host host_with(uint32_t workers) {
  static thread_local uint32_t count = 1;
  count = workers;
  aprx_host host{};
  host.struct_size = sizeof host;
  host.self = &count;
  host.workers = [](void* self) { return *static_cast<uint32_t*>(self); };
  host.cancelled = [](void*) { return 0U; };
  host.parallel = [](void* self, uint32_t tasks, aprx_task_fn body, void* argument) {
    std::atomic<uint32_t> next = 0;
    std::vector<std::jthread> threads;
    for (uint32_t worker = 0; worker < *static_cast<uint32_t*>(self); ++worker) {
      threads.emplace_back([&, worker] {
        for (uint32_t task = next++; task < tasks; task = next++) body(argument, task, worker);
      });
    }
  };
  return host;
}

template <typename Check>
void on_every_target(const Check& check) {
  hwy::SetSupportedTargetsForTest(0);
  int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  REQUIRE(targets != 0);
  for (; targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    INFO("target " << hwy::TargetName(targets & -targets));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Runs `call` and returns it with its outputs and states.
inline Call after(Call call, std::span<const KernelRow> rows, const aprx_host* host = nullptr) {
  call.run(rows, host);
  return call;
}

// Whether the call's outputs and F32 states `roles` are within `tolerance` of the reference.
inline void check_call(const Call& call, const std::vector<Role>& roles, double tolerance) {
  const Call expected = after(call, reference_rows());
  const aprx_host host = host_with(3);
  on_every_target([&] {
    const Call alone = after(call, op_rows());
    const Call together = after(call, op_rows(), &host);
    for (const Role role : roles) {
      INFO("role " << role_name(role));
      CHECK(normalized_error(alone.floats(role), expected.floats(role)) <= tolerance);
      CHECK(std::ranges::equal(alone.bytes(role), together.bytes(role)));
    }
  });
}

}  // namespace aprx::test
