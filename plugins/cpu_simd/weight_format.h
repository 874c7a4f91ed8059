// How weights of a dtype are multiplied. One table; a dtype without kernels of its own is decoded to floats.
#pragma once

#include "aprx/dtype.hpp"
#include "aprx/dtype/decode.hpp"
#include "plugins/cpu_simd/gemv/float_dots.h"
#include "plugins/cpu_simd/gemv/int8_dots.h"
#include "plugins/cpu_simd/unpack/byte_form.h"

namespace aprx::cpu {

struct WeightFormat {
  DType dtype = DType::kUnknown;
  const char* name = "";  // of the kernel
  // With 8-bit activations.
  ByteForm bytes = {};
  DotsFn dots = nullptr;  // faster than dots_of_runs, where there is one
  // With float activations.
  FloatDotsFn float_dots = nullptr;
  DecodeFn decode = nullptr;  // to floats; none where rows are floats already

  [[nodiscard]] constexpr bool takes_int8() const { return bytes.unpacker != nullptr; }
};

constexpr WeightFormat int8_rows(const ByteForm& bytes, DotsFn dots = nullptr) {
  return {bytes.dtype, "int8-rows", bytes, dots, nullptr, nullptr};
}

constexpr WeightFormat float_rows(DType dtype, FloatDotsFn dots, DecodeFn decode) {
  return {dtype, "float-rows", {}, nullptr, dots, decode};
}

// Of each quantized dtype: unpacker, largest byte, weights a group, offset, and whether groups have a min.
inline constexpr WeightFormat kOwnKernels[] = {
    int8_rows({DType::kQ8_0, unpacker_of_small_blocks, ByteRange::kSigned, 32, 0, false}, dots_q8_0),
    int8_rows({DType::kQ4_0, unpacker_of_small_blocks, ByteRange::k15, 32, 8, false}, dots_q4_0),
    int8_rows({DType::kQ4_1, unpacker_of_small_blocks, ByteRange::k15, 32, 0, true}),
    int8_rows({DType::kQ5_0, unpacker_of_small_blocks, ByteRange::k63, 32, 16, false}),
    int8_rows({DType::kQ5_1, unpacker_of_small_blocks, ByteRange::k63, 32, 0, true}),
    int8_rows({DType::kIQ4_NL, unpacker_of_small_blocks, ByteRange::kSigned, 32, 0, false}),
    int8_rows({DType::kMXFP4, unpacker_of_small_blocks, ByteRange::k63, 32, 12, false}),
    int8_rows({DType::kNVFP4, unpacker_of_small_blocks, ByteRange::k63, 16, 12, false}),
    int8_rows({DType::kQ1_0, unpacker_of_small_blocks, ByteRange::k15, 32, 1, false}),
    int8_rows({DType::kQ2_0, unpacker_of_small_blocks, ByteRange::k15, 32, 1, false}),
    int8_rows({DType::kQ2_K, unpacker_of_k_quants, ByteRange::k15, 16, 0, true}),
    int8_rows({DType::kQ3_K, unpacker_of_k_quants, ByteRange::k15, 16, 4, false}),
    int8_rows({DType::kQ4_K, unpacker_of_k_quants, ByteRange::k15, 32, 0, true}, dots_q4_k),
    int8_rows({DType::kQ5_K, unpacker_of_k_quants, ByteRange::k63, 32, 0, true}, dots_q5_k),
    int8_rows({DType::kQ6_K, unpacker_of_k_quants, ByteRange::k63, 16, 32, false}, dots_q6_k),
    int8_rows({DType::kIQ4_XS, unpacker_of_k_quants, ByteRange::kSigned, 32, 0, false}),
    int8_rows({DType::kTQ1_0, unpacker_of_k_quants, ByteRange::k15, 32, 1, false}),
    int8_rows({DType::kTQ2_0, unpacker_of_k_quants, ByteRange::k15, 32, 1, false}),
    int8_rows({DType::kIQ1_S, unpacker_of_grids, ByteRange::k63, 32, 9, false}),
    int8_rows({DType::kIQ1_M, unpacker_of_grids, ByteRange::k63, 16, 9, false}),
    int8_rows({DType::kIQ2_XXS, unpacker_of_grids, ByteRange::k128, 32, 64, false}),
    int8_rows({DType::kIQ2_XS, unpacker_of_grids, ByteRange::k128, 16, 64, false}),
    int8_rows({DType::kIQ2_S, unpacker_of_grids, ByteRange::k128, 16, 64, false}),
    int8_rows({DType::kIQ3_XXS, unpacker_of_grids, ByteRange::k128, 32, 64, false}),
    int8_rows({DType::kIQ3_S, unpacker_of_grids, ByteRange::k63, 32, 16, false}),
    float_rows(DType::kF32, dots_f32, nullptr),
    float_rows(DType::kF16, dots_f16, widen_f16),
    float_rows(DType::kBF16, dots_bf16, widen_bf16),
};

// The format of a dtype that aprx::decoder knows.
constexpr WeightFormat weight_format(DType dtype) {
  for (const WeightFormat& format : kOwnKernels) {
    if (format.dtype == dtype) return format;
  }
  return {dtype, "decoded-rows", {}, nullptr, nullptr, decoder(dtype)};
}

}  // namespace aprx::cpu
