// Float products by oneDNN, for many rows of activations.
#pragma once

#include <cstdint>

#include "plugins/cpu_simd/gemv/float_dots.h"

namespace aprx::cpu {

// From so many rows of activations on oneDNN is faster than multiply_f32: measured with AVX2 and K of 1024
// and 3584, 16 rows run at 1.0 to 1.2 times its speed, 32 rows at 1.4 times, 128 and more at 1.8 times.
inline constexpr int64_t kOneDnnTokens = 16;

// Weight rows that a call should bring at least where the caller chooses.
inline constexpr int64_t kOneDnnRows = 64;

// Whether oneDNN uses no instructions that the target in use, with vectors of `vector_bytes`, doesn't have.
bool onednn_suits(int64_t vector_bytes);

// As multiply_f32, in the calling thread alone; false if oneDNN can't, and nothing useful is in `out`.
// Allocates, so it has no place where one token is decoded. Thread-safe for distinct outputs.
bool onednn_multiply_f32(const float* w, int64_t rows, int64_t k, const FloatRows& x, const Output& out);

}  // namespace aprx::cpu
