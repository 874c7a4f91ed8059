// A block of channels of one `causal_conv1d` run, and where its numbers lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plugins/cpu_simd/ops/workspace.h"

namespace aprx::cpu {

struct ConvBlock {
  static constexpr int64_t kChannels = 256;

  int64_t channels;  // up to kChannels
  int64_t tokens;
  int64_t taps_count;  // W
  const float* x;      // [tokens], x_stride apart, the block's first channel
  int64_t x_stride;
  float* y;
  int64_t y_stride;
  const float* conv;  // [channels][W]
  const float* bias;  // [channels], or nullptr
  float* state;       // [channels][W−1]
  float* taps;        // [W][kChannels]
  float* history;     // [W−1][kChannels]

  // The inputs of token `t`; those before the run have negative numbers, down to 1 − W.
  [[nodiscard]] const float* input(int64_t t) const {
    return t >= 0 ? x + t * x_stride : history + (taps_count - 1 + t) * kChannels;
  }
  // Memory of one worker for taps and history.
  static uint64_t worker_bytes(int64_t taps_count) {
    return padded_bytes<float>((2 * taps_count - 1) * kChannels);
  }
};

}  // namespace aprx::cpu
