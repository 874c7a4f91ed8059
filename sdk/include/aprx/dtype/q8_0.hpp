// Q8_0: 32 weights in 34 bytes. Source: the GGUF file format (type 8).
//
//   byte 0      2                              34
//        | d    | q0 q1 … q31                   |
//          f16    int8
//   w[i] = d · q[i]
#pragma once

#include <bit>
#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ8_0 {
  static constexpr int kElements = 32;
  uint8_t d[2];
  uint8_t q[32];
};
static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 1);

constexpr void decode(const BlockQ8_0& block, float* out) {
  const float d = load_f16(block.d);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<int8_t>(block.q[i]));
}

// Rounds to the nearest of the 255 steps, halves away from zero; the largest magnitude becomes ±127.
// A block that holds a NaN or an infinity decodes to NaN throughout, so that the fault is not hidden.
constexpr void encode(const float* in, BlockQ8_0& block) {
  uint32_t largest = 0;  // magnitudes of floats order like their bits, NaN above all
  for (int i = 0; i < 32; ++i) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(in[i]) & 0x7FFF'FFFFU;
    largest = magnitude > largest ? magnitude : largest;
  }
  if (largest >= 0x7F80'0000U) {
    store_u16(0x7E00, block.d);
    for (uint8_t& q : block.q) q = 1;
    return;
  }
  const float d = std::bit_cast<float>(largest) / 127.0F;
  // Where 1/d would overflow, every weight is below half of the least half-precision scale: the block is
  // zero.
  const float inverse = d < 0x1p-126F ? 0.0F : 1.0F / d;
  store_u16(f32_to_f16(d), block.d);
  for (int i = 0; i < 32; ++i) {
    const float scaled = in[i] * inverse;
    const auto rounded = static_cast<int>(scaled);  // toward zero; the rest is exact
    const float rest = scaled - static_cast<float>(rounded);
    const int step = rest >= 0.5F ? 1 : (rest <= -0.5F ? -1 : 0);
    block.q[i] = static_cast<uint8_t>(static_cast<int8_t>(rounded + step));
  }
}

}  // namespace aprx::codec
