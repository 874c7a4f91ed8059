// Q4_0: 32 weights in 18 bytes. Source: the GGUF file format (type 2).
//
//   byte 0      2                              18
//        | d    | q[0..15]                      |
//          f16    low nibble: weight i; high nibble: weight i + 16
//   w = d · (nibble − 8)
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ4_0 {
  static constexpr int kElements = 32;
  uint8_t d[2];
  uint8_t q[16];
};
static_assert(sizeof(BlockQ4_0) == 18 && alignof(BlockQ4_0) == 1);

constexpr void decode(const BlockQ4_0& block, float* out) {
  const float d = load_f16(block.d);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>((block.q[i] & 0xF) - 8);
    out[i + 16] = d * static_cast<float>((block.q[i] >> 4) - 8);
  }
}

}  // namespace aprx::codec
