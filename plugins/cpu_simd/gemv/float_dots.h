// Dots of float weight rows, and of rows decoded to floats, with float activations.
#pragma once

#include <cstdint>

#include "plugins/cpu_simd/gemv/int8_dots.h"

namespace aprx::cpu {

// Rows of F32 activations; `stride` in elements.
struct FloatRows {
  const float* data;
  int64_t stride;
  int64_t rows;

  [[nodiscard]] const float* row(int64_t t) const { return data + t * stride; }
};

// As DotsFn for float activations: weight rows begin .. end-1 for every row of `x`. Meant for one row of `x`;
// more rows are right, but widen the weights again for each. Bound: memory, bytes of the weight rows.
using FloatDotsFn = void (*)(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x,
                             const Output& out);

void dots_f32(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out);
void dots_f16(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out);
void dots_bf16(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out);

// Exact widening of `elements` values at any address; the signature of aprx::DecodeFn.
void widen_f16(const uint8_t* src, int64_t elements, float* dst);
void widen_bf16(const uint8_t* src, int64_t elements, float* dst);

// y[t · stride + r] for `rows` rows of `k` floats that lie one after the other at `w` (any alignment), and
// every row of `x`, in register tiles of 2 × 4. Bound: arithmetic; `w` should fit the second level of cache.
void multiply_f32(const float* w, int64_t rows, int64_t k, const FloatRows& x, const Output& out);

// Bytes of a vector of the target in use.
int64_t float_vector_bytes();

}  // namespace aprx::cpu
