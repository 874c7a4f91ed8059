// IQ2: eight weights share one point of a grid of magnitudes, and have signs. Source: the GGUF file format
// (types 16, 17, 22). 256 weights a block; w = d · (1/2 + scale) / 4 · ±magnitude
//
//   IQ2_XXS, 66 bytes  | d    | 8 × { index[4], u32 }                              |
//                        f16    for 32 weights: four indices of 8 bits; then four times seven sign bits from
//                               bit 0, and the scale in bits 28–31
//   IQ2_XS, 74 bytes   | d    | 32 × u16                      | scales[8]           |
//                        f16    bits 0–8 index, 9–15 signs      a nibble for 16 weights, low first
//   IQ2_S, 82 bytes    | d    | index[32]  | signs[32]  | high[8]              | scales[8] |
//                        f16    low 8 bits   8 sign bits  bits 2l, 2l+1 of        as IQ2_XS
//                                                         byte g: index 4·g + l
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"
#include "aprx/dtype/iq2_grid.hpp"
#include "aprx/dtype/iq_signs.hpp"

namespace aprx::codec {

struct BlockIQ2_XXS {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t q[64];
};
static_assert(sizeof(BlockIQ2_XXS) == 66 && alignof(BlockIQ2_XXS) == 1);

struct BlockIQ2_XS {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t q[64];
  uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_XS) == 74 && alignof(BlockIQ2_XS) == 1);

struct BlockIQ2_S {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t q[32];
  uint8_t signs[32];
  uint8_t high[8];
  uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_S) == 82 && alignof(BlockIQ2_S) == 1);

constexpr void decode_iq2_point(uint32_t point, uint32_t signs, float scale, float* out) {
  for (int i = 0; i < 8; ++i) {
    const auto magnitude = static_cast<float>(kIq2Magnitudes[(point >> (2 * i)) & 3U]);
    out[i] = with_sign(scale * magnitude, signs, i);
  }
}

constexpr float iq2_scale(float d, uint32_t scale) { return d * (0.5F + static_cast<float>(scale)) * 0.25F; }

constexpr void decode(const BlockIQ2_XXS& block, float* out) {
  const float d = load_f16(block.d);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* index = block.q + 8 * group;
    const uint32_t rest = load_u32(index + 4);
    for (int l = 0; l < 4; ++l) {
      const uint32_t signs = even_signs((rest >> (7 * l)) & 0x7FU);
      decode_iq2_point(kIq2XxsGrid[index[l]], signs, iq2_scale(d, rest >> 28), out + 32 * group + 8 * l);
    }
  }
}

constexpr void decode(const BlockIQ2_XS& block, float* out) {
  const float d = load_f16(block.d);
  for (int l = 0; l < 32; ++l) {
    const uint32_t q = load_u16(block.q + 2 * l);
    const uint32_t scale = (block.scales[l / 4] >> (4 * ((l / 2) % 2))) & 0xFU;
    decode_iq2_point(kIq2XsGrid[q & 0x1FFU], even_signs(q >> 9), iq2_scale(d, scale), out + 8 * l);
  }
}

constexpr void decode(const BlockIQ2_S& block, float* out) {
  const float d = load_f16(block.d);
  for (int l = 0; l < 32; ++l) {
    const uint32_t index = block.q[l] | (((block.high[l / 4] >> (2 * (l % 4))) & 3U) << 8);
    const uint32_t scale = (block.scales[l / 4] >> (4 * ((l / 2) % 2))) & 0xFU;
    decode_iq2_point(kIq2SGrid[index], block.signs[l], iq2_scale(d, scale), out + 8 * l);
  }
}

}  // namespace aprx::codec
