// Ternary types, 256 weights of −1, 0 or 1 times one scale. Source: the GGUF file format (types 34, 35).
//
//   TQ1_0, 54 bytes   | q[48]                    | tail[4]           | d    |
//                       5 digits of base 3 a byte  4 digits a byte     f16
//     A byte holds the digits as a fraction of 256: digit n is ⌊3·(byte·3ⁿ mod 256)/256⌋, first digit first.
//     Weights by digit, then by byte: q[0..31] weights 0..159, q[32..47] 160..239, tail 240..255.
//   TQ2_0, 66 bytes   | q[64]                                        | d    |
//     Each half of 128 weights has 32 bytes; bits 2j, 2j+1 of its byte i belong to weight 32·j + i.
//   w = d · (digit − 1)
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockTQ1_0 {
  static constexpr int kElements = 256;
  uint8_t q[48];
  uint8_t tail[4];
  uint8_t d[2];
};
static_assert(sizeof(BlockTQ1_0) == 54 && alignof(BlockTQ1_0) == 1);

struct BlockTQ2_0 {
  static constexpr int kElements = 256;
  uint8_t q[64];
  uint8_t d[2];
};
static_assert(sizeof(BlockTQ2_0) == 66 && alignof(BlockTQ2_0) == 1);

// Unpacks `digits` base-3 digits from each of `count` bytes, all first digits before all second ones.
constexpr void decode_base3(const uint8_t* bytes, int count, int digits, float d, float* out) {
  int power = 1;
  for (int digit = 0; digit < digits; ++digit) {
    for (int i = 0; i < count; ++i) {
      const int fraction = (bytes[i] * power) & 0xFF;
      out[digit * count + i] = d * static_cast<float>(((fraction * 3) >> 8) - 1);
    }
    power *= 3;
  }
}

constexpr void decode(const BlockTQ1_0& block, float* out) {
  const float d = load_f16(block.d);
  decode_base3(block.q, 32, 5, d, out);
  decode_base3(block.q + 32, 16, 5, d, out + 160);
  decode_base3(block.tail, 4, 4, d, out + 240);
}

constexpr void decode(const BlockTQ2_0& block, float* out) {
  const float d = load_f16(block.d);
  for (int i = 0; i < 256; ++i) {
    const int byte = block.q[32 * (i / 128) + i % 32];
    out[i] = d * static_cast<float>(((byte >> (2 * ((i / 32) % 4))) & 3) - 1);
  }
}

}  // namespace aprx::codec
