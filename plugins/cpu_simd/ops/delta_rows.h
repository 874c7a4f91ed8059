// Rows of one head's state in a run of `gated_delta_rule`, and the tokens they go through.
#pragma once

#include <algorithm>
#include <cstdint>

namespace aprx::cpu {

struct DeltaRows {
  static constexpr int64_t kMostRows = 64;

  int64_t count;  // rows, up to kMostRows
  int64_t width;  // dk
  int64_t tokens;
  float* state;       // [count][width]
  const float* q;     // of the key head; strides are from token to token
  const float* k;     // of the key head
  const float* v;     // of the first row
  const float* g;     // of the head
  const float* beta;  // of the head
  float* y;           // of the first row
  int64_t q_stride;
  int64_t k_stride;
  int64_t v_stride;
  int64_t g_stride;
  int64_t beta_stride;
  int64_t y_stride;
  float scale;

  // Rows that stay in the first-level cache from token to token; whole groups of four.
  static int64_t rows_in_cache(int64_t width) {
    constexpr int64_t kBytes = 16384;
    return std::clamp<int64_t>(kBytes / 4 / width / 4 * 4, 4, kMostRows);
  }
};

}  // namespace aprx::cpu
