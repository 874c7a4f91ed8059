// How weights of a dtype are multiplied. One table; a dtype without kernels of its own is decoded to floats.
#pragma once

#include "aprx/dtype.hpp"
#include "aprx/dtype/decode.hpp"
#include "plugins/cpu_simd/gemm/panels.h"
#include "plugins/cpu_simd/gemv/float_dots.h"
#include "plugins/cpu_simd/gemv/int8_dots.h"

namespace aprx::cpu {

struct WeightFormat {
  DType dtype = DType::kUnknown;
  const char* name = "";  // of the kernel
  // With 8-bit activations: both or neither.
  DotsFn dots = nullptr;
  PanelsFn panels = nullptr;
  // With float activations.
  FloatDotsFn float_dots = nullptr;
  DecodeFn decode = nullptr;  // to floats; none where rows are floats already

  [[nodiscard]] constexpr bool takes_int8() const { return dots != nullptr; }
};

inline constexpr WeightFormat kOwnKernels[] = {
    {DType::kQ8_0, "int8-rows", dots_q8_0, panels_q8_0, nullptr, nullptr},
    {DType::kQ4_0, "int8-rows", dots_q4_0, panels_q4_0, nullptr, nullptr},
    {DType::kQ4_K, "int8-rows", dots_q4_k, panels_q4_k, nullptr, nullptr},
    {DType::kQ5_K, "int8-rows", dots_q5_k, panels_q5_k, nullptr, nullptr},
    {DType::kQ6_K, "int8-rows", dots_q6_k, panels_q6_k, nullptr, nullptr},
    {DType::kF32, "float-rows", nullptr, nullptr, dots_f32, nullptr},
    {DType::kF16, "float-rows", nullptr, nullptr, dots_f16, widen_f16},
    {DType::kBF16, "float-rows", nullptr, nullptr, dots_bf16, widen_bf16},
};

// The format of a dtype that aprx::decoder knows.
constexpr WeightFormat weight_format(DType dtype) {
  for (const WeightFormat& format : kOwnKernels) {
    if (format.dtype == dtype) return format;
  }
  return {dtype, "decoded-rows", nullptr, nullptr, nullptr, decoder(dtype)};
}

}  // namespace aprx::cpu
