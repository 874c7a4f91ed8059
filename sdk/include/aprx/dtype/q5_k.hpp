// Q5_K: 256 weights in 176 bytes. Source: the GGUF file format (type 13).
//
//   byte 0      2      4             16           48               176
//        | d    | dmin | scales[12]  | high[32]   | q[128]          |
//          f16    f16    as in Q4_K    1 bit a weight, as in Q4_K
//   Bit g of high[i] is the fifth bit of weight i of group g; a group has 32 weights.
//   w = d·scale·(nibble | fifth bit) − dmin·min
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"
#include "aprx/dtype/q4_k.hpp"

namespace aprx::codec {

struct BlockQ5_K {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t dmin[2];
  uint8_t scales[12];
  uint8_t high[32];
  uint8_t q[128];
};
static_assert(sizeof(BlockQ5_K) == 176 && alignof(BlockQ5_K) == 1);

constexpr void decode(const BlockQ5_K& block, float* out) {
  const float d = load_f16(block.d);
  const float dmin = load_f16(block.dmin);
  for (int group = 0; group < 8; ++group) {
    const ScaleMin factors = scale_min_of(block.scales, group);
    const float scale = d * static_cast<float>(factors.scale);
    const float min = dmin * static_cast<float>(factors.min);
    const uint8_t* q = block.q + 32 * (group / 2);
    const int shift = 4 * (group % 2);
    for (int i = 0; i < 32; ++i) {
      const int value = ((q[i] >> shift) & 0xF) | (((block.high[i] >> group) & 1) << 4);
      out[32 * group + i] = scale * static_cast<float>(value) - min;
    }
  }
}

}  // namespace aprx::codec
