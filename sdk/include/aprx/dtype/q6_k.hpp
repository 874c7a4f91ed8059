// Q6_K: 256 weights in 210 bytes. Source: the GGUF file format (type 14).
//
//   byte 0               128             192            208    210
//        | low[128]      | high[64]      | scales[16]   | d    |
//          4 bits a weight 2 bits a weight int8           f16
//   Each half of 128 weights has 64 bytes of low and 32 of high; with quarter p = 0..3 of 32 weights, i =
//   0..31:
//     low four bits:  nibble ⌊p/2⌋ of low[32·(p mod 2) + i]        high two bits:  bits 2p, 2p+1 of high[i]
//   Each scale serves 16 weights in order:  w = d · scale · (six bits − 32)
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ6_K {
  static constexpr int kElements = 256;
  uint8_t low[128];
  uint8_t high[64];
  uint8_t scales[16];
  uint8_t d[2];
};
static_assert(sizeof(BlockQ6_K) == 210 && alignof(BlockQ6_K) == 1);

constexpr void decode(const BlockQ6_K& block, float* out) {
  const float d = load_f16(block.d);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(static_cast<int8_t>(block.scales[group]));
    const int half = group / 8;
    const int quarter = (group / 2) % 4;
    const int first = 16 * (group % 2);
    const uint8_t* low = block.low + 64 * half + 32 * (quarter % 2) + first;
    const uint8_t* high = block.high + 32 * half + first;
    for (int i = 0; i < 16; ++i) {
      const int value = ((low[i] >> (4 * (quarter / 2))) & 0xF) | (((high[i] >> (2 * quarter)) & 3) << 4);
      out[16 * group + i] = scale * static_cast<float>(value - 32);
    }
  }
}

}  // namespace aprx::codec
