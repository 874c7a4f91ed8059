// Runs a check on every Highway target that is compiled in and that this machine has.
#pragma once

#include <cstdint>

#include "catch2/catch_test_macros.hpp"
#include "hwy/highway.h"

namespace aprx::test {

template <typename Check>
void on_every_target(const Check& check) {
  hwy::SetSupportedTargetsForTest(0);
  int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  REQUIRE(targets != 0);
  while (targets != 0) {
    const int64_t target = targets & -targets;
    targets &= targets - 1;
    hwy::SetSupportedTargetsForTest(target);
    INFO("target " << hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace aprx::test
