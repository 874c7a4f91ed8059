// Types of one and two bits a weight. Source: the GGUF file format (types 41, 42).
//
//   Q1_0, 128 weights, 18 bytes   | d    | q[16] |   bit i mod 8 of q[i / 8]: w = bit ? d : −d
//   Q2_0,  64 weights, 18 bytes   | d    | q[16] |   bits 2·(i mod 4) and up of q[i / 4]: w = d · (two bits −
//   1)
//                                   f16
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ1_0 {
  static constexpr int kElements = 128;
  uint8_t d[2];
  uint8_t q[16];
};
static_assert(sizeof(BlockQ1_0) == 18 && alignof(BlockQ1_0) == 1);

struct BlockQ2_0 {
  static constexpr int kElements = 64;
  uint8_t d[2];
  uint8_t q[16];
};
static_assert(sizeof(BlockQ2_0) == 18 && alignof(BlockQ2_0) == 1);

constexpr void decode(const BlockQ1_0& block, float* out) {
  const float d = load_f16(block.d);
  for (int i = 0; i < 128; ++i) out[i] = ((block.q[i / 8] >> (i % 8)) & 1) != 0 ? d : -d;
}

constexpr void decode(const BlockQ2_0& block, float* out) {
  const float d = load_f16(block.d);
  for (int i = 0; i < 64; ++i) out[i] = d * static_cast<float>(((block.q[i / 4] >> (2 * (i % 4))) & 3) - 1);
}

}  // namespace aprx::codec
