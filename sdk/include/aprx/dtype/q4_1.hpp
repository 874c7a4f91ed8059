// Q4_1: 32 weights in 20 bytes. Source: the GGUF file format (type 3).
//
//   byte 0      2      4                       20
//        | d    | m    | q[0..15]               |
//          f16    f16    low nibble: weight i; high nibble: weight i + 16
//   w = d · nibble + m
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ4_1 {
  static constexpr int kElements = 32;
  uint8_t d[2];
  uint8_t m[2];
  uint8_t q[16];
};
static_assert(sizeof(BlockQ4_1) == 20 && alignof(BlockQ4_1) == 1);

constexpr void decode(const BlockQ4_1& block, float* out) {
  const float d = load_f16(block.d);
  const float m = load_f16(block.m);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(block.q[i] & 0xF) + m;
    out[i + 16] = d * static_cast<float>(block.q[i] >> 4) + m;
  }
}

}  // namespace aprx::codec
