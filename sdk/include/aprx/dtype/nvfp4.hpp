// NVFP4: 64 weights in 36 bytes. Source: the GGUF file format (type 40).
//
//   byte 0            4                                36
//        | scale[4]   | q[32]                           |
//          UE4M3        8 bytes a scale: low nibble weight i, high nibble weight i + 8 of its 16, each an
//          E2M1
//   w = UE4M3(scale) · E2M1(nibble). A file may hold one more factor for the whole tensor, in a tensor of its
//   own.
#pragma once

#include <bit>
#include <cstdint>

#include "aprx/dtype/e2m1.hpp"

namespace aprx::codec {

struct BlockNvfp4 {
  static constexpr int kElements = 64;
  uint8_t scale[4];
  uint8_t q[32];
};
static_assert(sizeof(BlockNvfp4) == 36 && alignof(BlockNvfp4) == 1);

// Half of an unsigned E4M3 (bias 7), for the doubled table. Bit 7 is no part of it. 0x7F reads as zero, as
// the format's own reader has it.
constexpr float half_ue4m3(uint8_t x) {
  if (x == 0x7F) return 0.0F;
  const uint32_t exponent = (x >> 3) & 0xFU;
  const uint32_t mantissa = x & 7U;
  if (exponent == 0) return static_cast<float>(mantissa) * 0x1p-10F;
  return std::bit_cast<float>(((exponent + 119) << 23) | (mantissa << 20));
}

constexpr void decode(const BlockNvfp4& block, float* out) {
  for (int group = 0; group < 4; ++group) {
    const float d = half_ue4m3(block.scale[group]);
    const uint8_t* q = block.q + 8 * group;
    for (int i = 0; i < 8; ++i) {
      out[16 * group + i] = d * static_cast<float>(kE2m1Doubled[q[i] & 0xF]);
      out[16 * group + 8 + i] = d * static_cast<float>(kE2m1Doubled[q[i] >> 4]);
    }
  }
}

}  // namespace aprx::codec
