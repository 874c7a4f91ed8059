// A small kernel that uses what the real ones need from the processor: a target on which it traps or gives
// other numbers than plain code is not used.
#pragma once

#include <cstdint>

namespace aprx::cpu {

// Targets that this build has code for, a mask of Highway's target bits.
int64_t compiled_targets();

// Runs the kernel on the target in use and compares with plain code. The numbers are small integers, so both
// must agree exactly.
bool self_test_passes();

}  // namespace aprx::cpu
