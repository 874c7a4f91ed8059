// Q4_K: 256 weights in 144 bytes. Source: the GGUF file format (type 12).
//
//   byte 0      2      4             16                144
//        | d    | dmin | scales[12]  | q[128]           |
//          f16    f16    8 scales and 8 mins of 6 bits
//   32 bytes of q hold 64 weights: the low nibbles weights 0..31, the high nibbles weights 32..63.
//   Each scale and min serve 32 weights in order:  w = d·scale·nibble − dmin·min
//
//   The twelve bytes (capitals: high two bits of scale/min 4..7):
//     0..3   | S4 S4 | scale 0..3 |      4..7   | M4 M4 | min 0..3 |      8..11  | min 4..7 | scale 4..7 |
//              two bits  six bits                                                  low four    low four bits
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ4_K {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t dmin[2];
  uint8_t scales[12];
  uint8_t q[128];
};
static_assert(sizeof(BlockQ4_K) == 144 && alignof(BlockQ4_K) == 1);

struct ScaleMin {
  int scale;
  int min;
};

// The six-bit scale and min of the 32 weights of group j, from the twelve bytes that Q4_K and Q5_K share.
constexpr ScaleMin scale_min_of(const uint8_t* scales, int j) {
  if (j < 4) return {scales[j] & 0x3F, scales[j + 4] & 0x3F};
  return {(scales[j + 4] & 0xF) | ((scales[j - 4] >> 6) << 4),
          (scales[j + 4] >> 4) | ((scales[j] >> 6) << 4)};
}

constexpr void decode(const BlockQ4_K& block, float* out) {
  const float d = load_f16(block.d);
  const float dmin = load_f16(block.dmin);
  for (int group = 0; group < 8; ++group) {
    const ScaleMin factors = scale_min_of(block.scales, group);
    const float scale = d * static_cast<float>(factors.scale);
    const float min = dmin * static_cast<float>(factors.min);
    const uint8_t* q = block.q + 32 * (group / 2);
    const int shift = 4 * (group % 2);
    for (int i = 0; i < 32; ++i)
      out[32 * group + i] = scale * static_cast<float>((q[i] >> shift) & 0xF) - min;
  }
}

}  // namespace aprx::codec
