// Four bits a weight through a table of sixteen values. Source: the GGUF file format (types 20, 23).
//
//   IQ4_NL, 32 weights, 18 bytes    | d    | q[16]                                        |
//                                     f16    low nibble: weight i; high nibble: weight i + 16
//   IQ4_XS, 256 weights, 136 bytes  | d    | high[2]       | low[4]         | q[128]       |
//                                     f16    2 bits a scale  4 bits a scale   as IQ4_NL, 16 bytes a group of
//                                     32
//     Scale g, g = 0..7, minus 32: low four bits in nibble g mod 2 of low[g / 2], high two in bits 2g of
//     `high`.
//   w = d · table[nibble] (IQ4_NL);  w = d · (scale − 32) · table[nibble] (IQ4_XS)
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

inline constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};

struct BlockIQ4_NL {
  static constexpr int kElements = 32;
  uint8_t d[2];
  uint8_t q[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18 && alignof(BlockIQ4_NL) == 1);

struct BlockIQ4_XS {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t scales_high[2];
  uint8_t scales_low[4];
  uint8_t q[128];
};
static_assert(sizeof(BlockIQ4_XS) == 136 && alignof(BlockIQ4_XS) == 1);

constexpr void decode_iq4(const uint8_t* q, float d, float* out) {
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(kIq4Values[q[i] & 0xF]);
    out[i + 16] = d * static_cast<float>(kIq4Values[q[i] >> 4]);
  }
}

constexpr void decode(const BlockIQ4_NL& block, float* out) { decode_iq4(block.q, load_f16(block.d), out); }

// The scale of the 32 weights of group g: −32 … 31.
constexpr int scale_of(const BlockIQ4_XS& block, int g) {
  const int low = (block.scales_low[g / 2] >> (4 * (g % 2))) & 0xF;
  const int high = (load_u16(block.scales_high) >> (2 * g)) & 3;
  return (low | (high << 4)) - 32;
}

constexpr void decode(const BlockIQ4_XS& block, float* out) {
  const float d = load_f16(block.d);
  for (int group = 0; group < 8; ++group) {
    decode_iq4(block.q + 16 * group, d * static_cast<float>(scale_of(block, group)), out + 32 * group);
  }
}

}  // namespace aprx::codec
