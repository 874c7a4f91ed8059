// Q5_0: 32 weights in 22 bytes. Source: the GGUF file format (type 6).
//
//   byte 0      2            6                 22
//        | d    | high       | q[0..15]         |
//          f16    32 bits:     low nibble: weight i; high nibble: weight i + 16
//                 bit i is the fifth bit of weight i
//   w = d · (five bits − 16)
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ5_0 {
  static constexpr int kElements = 32;
  uint8_t d[2];
  uint8_t high[4];
  uint8_t q[16];
};
static_assert(sizeof(BlockQ5_0) == 22 && alignof(BlockQ5_0) == 1);

constexpr void decode(const BlockQ5_0& block, float* out) {
  const float d = load_f16(block.d);
  const uint32_t high = load_u32(block.high);
  for (int i = 0; i < 16; ++i) {
    const int low_half = (block.q[i] & 0xF) | static_cast<int>((high >> i) & 1U) << 4;
    const int high_half = (block.q[i] >> 4) | static_cast<int>((high >> (i + 16)) & 1U) << 4;
    out[i] = d * static_cast<float>(low_half - 16);
    out[i + 16] = d * static_cast<float>(high_half - 16);
  }
}

}  // namespace aprx::codec
