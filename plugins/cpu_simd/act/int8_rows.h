// Activations as the integer dots read them: 8-bit steps with one scale for 32 values.
//
//   x[i] ≈ scale[i / 32] · q[i]        q in −127 .. 127, the largest magnitude of a block is ±127
//
// Beside them lie the sums that weights with an offset or a minimum need: Σ (q + c)·x = Σ q·x + c·Σ x.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aprx::cpu {

inline constexpr int64_t kActBlock = 32;

// One row of `k` values, k a multiple of 32.
struct Int8Row {
  int8_t* q;       // [k]
  float* scale;    // [k / 32]
  float* sum;      // [k / 32]  scale · Σ q
  int16_t* sum16;  // [k / 16]  Σ q of 16 neighbours
};

// Rows in memory that the caller owns. Copies are cheap and refer to the same rows.
class Int8Rows {
 public:
  // Bytes that `rows` rows of `k` values take; a multiple of 64.
  static uint64_t bytes(int64_t rows, int64_t k);

  Int8Rows() = default;
  // `memory` is 64-byte aligned and holds bytes(rows, k).
  Int8Rows(std::byte* memory, int64_t rows, int64_t k);

  [[nodiscard]] int64_t rows() const { return rows_; }
  [[nodiscard]] int64_t k() const { return k_; }
  [[nodiscard]] Int8Row row(int64_t t) const {
    const int64_t blocks = k_ / kActBlock;
    return {q_ + t * k_, scale_ + t * blocks, sum_ + t * blocks, sum16_ + t * blocks * 2};
  }

 private:
  int64_t rows_ = 0;
  int64_t k_ = 0;
  int8_t* q_ = nullptr;
  float* scale_ = nullptr;
  float* sum_ = nullptr;
  int16_t* sum16_ = nullptr;
};

// Quantizes `k` values, a multiple of 32: scale = max|x| / 127, q = x · (127 / max|x|) rounded to
// nearest, ties to even. A block of zeros, or of values too small for a normal scale, has scale 0. A
// block with a NaN or an infinity has scale NaN, so that what it touches becomes NaN. Thread-safe.
void quantize_row(const float* x, int64_t k, const Int8Row& out);

}  // namespace aprx::cpu
