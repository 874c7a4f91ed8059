#include "dtypes.h"

#include <array>

namespace aprx::gguf {

namespace {

constexpr TensorType known(DType dtype) { return {APRX_DTYPE_KNOWN, dtype, dtype_name(dtype)}; }
constexpr TensorType retired(std::string_view name) { return {APRX_DTYPE_RETIRED, DType::kUnknown, name}; }
constexpr TensorType kUnknownType = {APRX_DTYPE_NOT_KNOWN, DType::kUnknown, {}};

// Indexed by the number in the file.
constexpr std::array kTypes = {
    known(DType::kF32),     known(DType::kF16),     known(DType::kQ4_0),    // 0
    known(DType::kQ4_1),    retired("Q4_2"),        retired("Q4_3"),        // 3
    known(DType::kQ5_0),    known(DType::kQ5_1),    known(DType::kQ8_0),    // 6
    known(DType::kQ8_1),    known(DType::kQ2_K),    known(DType::kQ3_K),    // 9
    known(DType::kQ4_K),    known(DType::kQ5_K),    known(DType::kQ6_K),    // 12
    known(DType::kQ8_K),    known(DType::kIQ2_XXS), known(DType::kIQ2_XS),  // 15
    known(DType::kIQ3_XXS), known(DType::kIQ1_S),   known(DType::kIQ4_NL),  // 18
    known(DType::kIQ3_S),   known(DType::kIQ2_S),   known(DType::kIQ4_XS),  // 21
    known(DType::kI8),      known(DType::kI16),     known(DType::kI32),     // 24
    known(DType::kI64),     known(DType::kF64),     known(DType::kIQ1_M),   // 27
    known(DType::kBF16),    retired("Q4_0_4_4"),    retired("Q4_0_4_8"),    // 30
    retired("Q4_0_8_8"),    known(DType::kTQ1_0),   known(DType::kTQ2_0),   // 33
    retired("IQ4_NL_4_4"),  retired("IQ4_NL_4_8"),  retired("IQ4_NL_8_8"),  // 36
    known(DType::kMXFP4),   known(DType::kNVFP4),   known(DType::kQ1_0),    // 39
    known(DType::kQ2_0),                                                    // 42
};
static_assert(kTypes.size() == 43);

// Every dtype of ours stands in the table exactly once.
constexpr bool covers_every_dtype() {
  for (uint32_t number = 1; number < APRX_DTYPE_COUNT; ++number) {
    int found = 0;
    for (const TensorType& type : kTypes) found += type.dtype == static_cast<DType>(number) ? 1 : 0;
    if (found != 1) return false;
  }
  return true;
}
static_assert(covers_every_dtype());

}  // namespace

TensorType tensor_type(uint32_t id) { return id < kTypes.size() ? kTypes[id] : kUnknownType; }

}  // namespace aprx::gguf
