// Names and block sizes of every tensor dtype. Decoders: aprx/dtype/decode.hpp.
//
// A quantized dtype packs `block_elements` values of one row into `block_bytes`; a row whose length
// is not a multiple of block_elements cannot be stored. Sizes follow the GGUF file format.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "aprx/abi.h"

namespace aprx {

enum class DType : uint32_t {
  kUnknown = APRX_DTYPE_UNKNOWN,
  kF32 = APRX_F32,
  kF16 = APRX_F16,
  kBF16 = APRX_BF16,
  kF64 = APRX_F64,
  kI8 = APRX_I8,
  kI16 = APRX_I16,
  kI32 = APRX_I32,
  kI64 = APRX_I64,
  kQ4_0 = APRX_Q4_0,
  kQ4_1 = APRX_Q4_1,
  kQ5_0 = APRX_Q5_0,
  kQ5_1 = APRX_Q5_1,
  kQ8_0 = APRX_Q8_0,
  kQ8_1 = APRX_Q8_1,
  kQ2_K = APRX_Q2_K,
  kQ3_K = APRX_Q3_K,
  kQ4_K = APRX_Q4_K,
  kQ5_K = APRX_Q5_K,
  kQ6_K = APRX_Q6_K,
  kQ8_K = APRX_Q8_K,
  kIQ1_S = APRX_IQ1_S,
  kIQ1_M = APRX_IQ1_M,
  kIQ2_XXS = APRX_IQ2_XXS,
  kIQ2_XS = APRX_IQ2_XS,
  kIQ2_S = APRX_IQ2_S,
  kIQ3_XXS = APRX_IQ3_XXS,
  kIQ3_S = APRX_IQ3_S,
  kIQ4_NL = APRX_IQ4_NL,
  kIQ4_XS = APRX_IQ4_XS,
  kTQ1_0 = APRX_TQ1_0,
  kTQ2_0 = APRX_TQ2_0,
  kMXFP4 = APRX_MXFP4,
  kNVFP4 = APRX_NVFP4,
  kQ1_0 = APRX_Q1_0,
  kQ2_0 = APRX_Q2_0,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  int64_t block_elements;
  int64_t block_bytes;
};

// One row a dtype, indexed by its number.
inline constexpr DTypeInfo kDTypes[APRX_DTYPE_COUNT] = {
    {DType::kUnknown, "unknown", 1, 0},
    {DType::kF32, "F32", 1, 4},
    {DType::kF16, "F16", 1, 2},
    {DType::kBF16, "BF16", 1, 2},
    {DType::kF64, "F64", 1, 8},
    {DType::kI8, "I8", 1, 1},
    {DType::kI16, "I16", 1, 2},
    {DType::kI32, "I32", 1, 4},
    {DType::kI64, "I64", 1, 8},
    {DType::kQ4_0, "Q4_0", 32, 18},
    {DType::kQ4_1, "Q4_1", 32, 20},
    {DType::kQ5_0, "Q5_0", 32, 22},
    {DType::kQ5_1, "Q5_1", 32, 24},
    {DType::kQ8_0, "Q8_0", 32, 34},
    {DType::kQ8_1, "Q8_1", 32, 36},
    {DType::kQ2_K, "Q2_K", 256, 84},
    {DType::kQ3_K, "Q3_K", 256, 110},
    {DType::kQ4_K, "Q4_K", 256, 144},
    {DType::kQ5_K, "Q5_K", 256, 176},
    {DType::kQ6_K, "Q6_K", 256, 210},
    {DType::kQ8_K, "Q8_K", 256, 292},
    {DType::kIQ1_S, "IQ1_S", 256, 50},
    {DType::kIQ1_M, "IQ1_M", 256, 56},
    {DType::kIQ2_XXS, "IQ2_XXS", 256, 66},
    {DType::kIQ2_XS, "IQ2_XS", 256, 74},
    {DType::kIQ2_S, "IQ2_S", 256, 82},
    {DType::kIQ3_XXS, "IQ3_XXS", 256, 98},
    {DType::kIQ3_S, "IQ3_S", 256, 110},
    {DType::kIQ4_NL, "IQ4_NL", 32, 18},
    {DType::kIQ4_XS, "IQ4_XS", 256, 136},
    {DType::kTQ1_0, "TQ1_0", 256, 54},
    {DType::kTQ2_0, "TQ2_0", 256, 66},
    {DType::kMXFP4, "MXFP4", 32, 17},
    {DType::kNVFP4, "NVFP4", 64, 36},
    {DType::kQ1_0, "Q1_0", 128, 18},
    {DType::kQ2_0, "Q2_0", 64, 18},
};

constexpr bool dtype_table_is_in_order() {
  for (uint32_t i = 0; i < APRX_DTYPE_COUNT; ++i) {
    if (static_cast<uint32_t>(kDTypes[i].dtype) != i) return false;
  }
  return true;
}
static_assert(dtype_table_is_in_order());

// The row of `dtype`; a number outside the table gives the row of kUnknown.
constexpr const DTypeInfo& dtype_info(DType dtype) {
  const auto number = static_cast<uint32_t>(dtype);
  return kDTypes[number < APRX_DTYPE_COUNT ? number : 0];
}

constexpr std::string_view dtype_name(DType dtype) { return dtype_info(dtype).name; }

// The dtype called `name` (case matters), if there is one.
constexpr std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name && info.dtype != DType::kUnknown) return info.dtype;
  }
  return std::nullopt;
}

// Bytes of a row of `elements` values; `elements` must be a multiple of the block.
constexpr int64_t row_bytes(DType dtype, int64_t elements) {
  const DTypeInfo& info = dtype_info(dtype);
  return elements / info.block_elements * info.block_bytes;
}

}  // namespace aprx
