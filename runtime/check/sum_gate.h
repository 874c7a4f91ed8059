// Gate `sha256`: the bytes of every file are those that its publisher summed.
#pragma once

#include <span>
#include <string>

#include "runtime/check/check_context.h"
#include "runtime/check/gate.h"

namespace aprx {

inline constexpr const char* kSumGate = "sha256";

// `given` is the sum of the only file (64 lower-case digits), or empty: then each file's sum is looked for
// beside it. Where nobody wrote down any sum, no byte is read.
[[nodiscard]] Gate check_sums(std::span<const std::string> paths, const std::string& given,
                              const CheckContext& context);

}  // namespace aprx
