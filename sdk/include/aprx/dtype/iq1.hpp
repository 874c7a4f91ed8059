// IQ1: eight weights share one point of a grid of 2048, shifted by ±1/8. Source: the GGUF file format (types
// 19, 29).
//
//   IQ1_S, 256 weights, 50 bytes    | d    | q[32]      | high: 8 × u16                         |
//                                     f16    low 8 bits   bits 3l … 3l+2: high bits of index l,
//                                     of 32 indices       l = 0..3; bits 12–14: scale; bit 15: shift −1/8
//     One `high` serves 32 weights:  w = d · (2·scale + 1) · (point ± 1/8)
//
//   IQ1_M, 256 weights, 56 bytes    | q[32]      | high[16]              | scales: 4 × u16       |
//                                     low 8 bits   a nibble an index:      bits 3p … 3p+2: scale 4·s + p of
//                                                  bits 0–2 high bits,     u16 s; top nibbles of the four,
//                                                  bit 3: shift −1/8       lowest first, are the f16 d
//     One scale serves 16 weights.
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"
#include "aprx/dtype/iq1_grid.hpp"

namespace aprx::codec {

struct BlockIQ1_S {
  static constexpr int kElements = 256;
  uint8_t d[2];
  uint8_t q[32];
  uint8_t high[16];
};
static_assert(sizeof(BlockIQ1_S) == 50 && alignof(BlockIQ1_S) == 1);

struct BlockIQ1_M {
  static constexpr int kElements = 256;
  uint8_t q[32];
  uint8_t high[16];
  uint8_t scales[8];
};
static_assert(sizeof(BlockIQ1_M) == 56 && alignof(BlockIQ1_M) == 1);

constexpr void decode_iq1_point(uint32_t index, float scale, float shift, float* out) {
  const uint32_t point = kIq1Grid[index];
  for (int i = 0; i < 8; ++i) {
    const int value = static_cast<int>((point >> (2 * i)) & 3U) - 1;
    out[i] = scale * (static_cast<float>(value) + shift);
  }
}

constexpr void decode(const BlockIQ1_S& block, float* out) {
  const float d = load_f16(block.d);
  for (int group = 0; group < 8; ++group) {
    const uint32_t high = load_u16(block.high + 2 * group);
    const float scale = d * static_cast<float>(2 * ((high >> 12) & 7U) + 1);
    const float shift = (high & 0x8000U) != 0 ? -0.125F : 0.125F;
    for (int l = 0; l < 4; ++l) {
      const uint32_t index = block.q[4 * group + l] | (((high >> (3 * l)) & 7U) << 8);
      decode_iq1_point(index, scale, shift, out + 32 * group + 8 * l);
    }
  }
}

// The block's scale, put together from the top nibbles.
constexpr float scale_of(const BlockIQ1_M& block) {
  uint32_t half = 0;
  for (int i = 0; i < 4; ++i) half |= static_cast<uint32_t>(block.scales[2 * i + 1] >> 4) << (4 * i);
  return f16_to_f32(static_cast<uint16_t>(half));
}

constexpr void decode(const BlockIQ1_M& block, float* out) {
  const float d = scale_of(block);
  for (int l = 0; l < 32; ++l) {  // eight weights each
    const uint32_t scales = load_u16(block.scales + 2 * (l / 8));
    const uint32_t scale = (scales >> (3 * ((l / 2) % 4))) & 7U;
    const uint32_t high = (block.high[l / 2] >> (4 * (l % 2))) & 0xFU;
    const float shift = (high & 8U) != 0 ? -0.125F : 0.125F;
    decode_iq1_point(block.q[l] | ((high & 7U) << 8), d * static_cast<float>(2 * scale + 1), shift,
                     out + 8 * l);
  }
}

}  // namespace aprx::codec
