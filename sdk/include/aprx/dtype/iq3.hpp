// IQ3: four weights share one point of a grid of magnitudes, and have signs. Source: the GGUF file format
// (types 18, 21). 256 weights a block.
//
//   IQ3_XXS, 98 bytes  | d    | index[64]  | 8 × u32                                                  |
//                        f16    4 weights    for 32 weights: four times seven sign bits from bit 0, scale
//                                            in bits 28–31
//     w = d · (1/2 + scale) / 2 · ±magnitude
//   IQ3_S, 110 bytes   | d    | index[64]  | high[8]                 | signs[32]  | scales[4]          |
//                        f16    low 8 bits   bit l of byte g: ninth    8 sign      a nibble for 32
//                                            bit of index 8·g + l      bits         weights, low first
//     w = d · (1 + 2·scale) · ±magnitude
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"
#include "aprx/dtype/iq3_grid.hpp"
#include "aprx/dtype/iq_signs.hpp"

namespace aprx::codec {

struct BlockIQ3_XXS {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t q[64];
  uint8_t signs_and_scale[32];
};
static_assert(sizeof(BlockIQ3_XXS) == 98 && alignof(BlockIQ3_XXS) == 1);

struct BlockIQ3_S {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t q[64];
  uint8_t high[8];
  uint8_t signs[32];
  uint8_t scales[4];
};
static_assert(sizeof(BlockIQ3_S) == 110 && alignof(BlockIQ3_S) == 1);

// Four weights; `signs` has the bit of the first one lowest.
constexpr void decode_iq3_point(uint32_t point, const uint8_t (&table)[8], uint32_t signs, float scale,
                                float* out) {
  for (int i = 0; i < 4; ++i) {
    const auto magnitude = static_cast<float>(table[(point >> (3 * i)) & 7U]);
    out[i] = with_sign(scale * magnitude, signs, i);
  }
}

constexpr void decode(const BlockIQ3_XXS& block, float* out) {
  const float d = load_f16(block.d);
  for (int l = 0; l < 64; ++l) {
    const uint32_t rest = load_u32(block.signs_and_scale + 4 * (l / 8));
    const uint32_t signs = even_signs((rest >> (7 * ((l / 2) % 4))) & 0x7FU) >> (4 * (l % 2));
    const float scale = d * (0.5F + static_cast<float>(rest >> 28)) * 0.5F;
    decode_iq3_point(kIq3XxsGrid[block.q[l]], kIq3XxsMagnitudes, signs, scale, out + 4 * l);
  }
}

constexpr void decode(const BlockIQ3_S& block, float* out) {
  const float d = load_f16(block.d);
  for (int l = 0; l < 64; ++l) {
    const uint32_t index = block.q[l] | (((block.high[l / 8] >> (l % 8)) & 1U) << 8);
    const uint32_t signs = static_cast<uint32_t>(block.signs[l / 2]) >> (4 * (l % 2));
    const uint32_t nibble = (block.scales[l / 16] >> (4 * ((l / 8) % 2))) & 0xFU;
    const float scale = d * static_cast<float>(1 + 2 * nibble);
    decode_iq3_point(kIq3SGrid[index], kIq3SMagnitudes, signs, scale, out + 4 * l);
  }
}

}  // namespace aprx::codec
