// One matrix of activations times several weight matrices, whatever their dtypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aprx/kernel.hpp"
#include "plugins/cpu_simd/weight_format.h"

namespace aprx::cpu {

// A weight and where its products go.
struct Product {
  WeightFormat format;
  PackedRows w;
  int64_t rows;                 // of w
  Output out;                   // [tokens][rows]
  const float* bias = nullptr;  // [rows], or none
};

// Bytes of scratch for up to `tokens` rows of `k` activations. A format that can't come up needn't be listed.
uint64_t multiply_scratch_bytes(std::span<const WeightFormat> formats, int64_t tokens, int64_t k,
                                uint32_t workers);

// out[t][r] = Σ x[t][i] · w[r][i] + bias[r] for every product. All weights have the k of the first.
// Activations are quantized once for all formats that take them so. A result depends on its own rows, up to
// rounding also on whether there is one row of activations, few or many; never on threads. `scratch` is
// 64-byte aligned.
void multiply(std::span<const Product> products, const FloatRows& x, std::span<std::byte> scratch,
              const Parallel& parallel);

}  // namespace aprx::cpu
