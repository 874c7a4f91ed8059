// Dots of quantized weight rows, straight from the mapped file, with 8-bit activations.
#pragma once

#include <cstdint>

#include "plugins/cpu_simd/act/int8_rows.h"

namespace aprx::cpu {

// A matrix of `k`-element rows as they lie in the file, one after the other, at any alignment.
struct PackedRows {
  const uint8_t* data;
  int64_t row_bytes;
  int64_t k;

  [[nodiscard]] const uint8_t* row(int64_t r) const { return data + r * row_bytes; }
};

// Results: y[t · stride + r] for activation row t and weight row r.
struct Output {
  float* y;
  int64_t stride;
};

// Computes weight rows begin .. end-1 for every row of `x`. The sum over k runs in one order, so a
// result depends on its two rows alone. Bound: memory, bytes of the weight rows; the kernels ask for
// them 4 KB ahead. Thread-safe for distinct outputs.
using DotsFn = void (*)(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
                        const Output& out);

void dots_q8_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out);
void dots_q4_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out);
void dots_q4_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out);
void dots_q5_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out);
void dots_q6_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out);

}  // namespace aprx::cpu
