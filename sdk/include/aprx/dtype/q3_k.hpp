// Q3_K: 256 weights in 110 bytes. Source: the GGUF file format (type 11).
//
//   byte 0          32                   96             108    110
//        | high[32] | q[64]              | scales[12]   | d    |
//          1 bit a    two bits a weight    16 of 6 bits   f16
//          weight
//   q as in Q2_K. Bit b of high[i] belongs to weight 32·b + i; where it is clear, 4 is subtracted.
//   Scale j, j = 0..15, minus 32: low four bits in the nibbles of scales[j mod 8] (low nibble for j < 8),
//   high two bits in scales[8 + j mod 4], from bit 2·⌊j/4⌋.
//   w = d · (scale − 32) · (q − (high ? 0 : 4))
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ3_K {
  static constexpr int kElements = 256;
  uint8_t high[32];
  uint8_t q[64];
  uint8_t scales[12];
  uint8_t d[2];
};
static_assert(sizeof(BlockQ3_K) == 110 && alignof(BlockQ3_K) == 1);

// The scale of the 16 weights of group j: −32 … 31.
constexpr int scale_of(const BlockQ3_K& block, int j) {
  const int low = (block.scales[j % 8] >> (j < 8 ? 0 : 4)) & 0xF;
  const int high = (block.scales[8 + j % 4] >> (2 * (j / 4))) & 3;
  return (low | (high << 4)) - 32;
}

constexpr void decode(const BlockQ3_K& block, float* out) {
  const float d = load_f16(block.d);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(scale_of(block, group));
    const uint8_t* q = block.q + 32 * (group / 8) + 16 * (group % 2);
    const uint8_t* high = block.high + 16 * (group % 2);
    const int shift = 2 * ((group / 2) % 4);
    const int bit = group / 2;
    for (int i = 0; i < 16; ++i) {
      const int value = ((q[i] >> shift) & 3) - (((high[i] >> bit) & 1) != 0 ? 0 : 4);
      out[16 * group + i] = scale * static_cast<float>(value);
    }
  }
}

}  // namespace aprx::codec
