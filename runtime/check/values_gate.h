// Gate `values`: every weight is a finite number of sensible size.
//
// Each block of each tensor is decoded, so a scale that is NaN or infinite shows in the values that it
// scales. Integer tensors (I8 to I64) hold no weights and are passed over.
#pragma once

#include <cstdint>

#include "core/plugin/model_file.h"
#include "runtime/check/check_context.h"
#include "runtime/check/gate.h"

namespace aprx {

inline constexpr const char* kValuesGate = "values";

// A choice: trained weights are far smaller as a rule. A value beyond this is what a scale with a flipped
// exponent bit gives, and half precision ends only at 65504.
inline constexpr float kMostMagnitude = 1e4F;

// Not measured where a type is unknown or can't be decoded, unless the rest is broken already.
[[nodiscard]] Gate check_values(const ModelFile& file, const CheckContext& context);

}  // namespace aprx
