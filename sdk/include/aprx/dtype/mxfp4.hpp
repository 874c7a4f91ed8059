// MXFP4: 32 weights in 17 bytes. Source: OCP Microscaling Formats (MX) 1.0; order of the GGUF file format
// (type 39).
//
//   byte 0    1                                17
//        | e  | q[0..15]                        |
//          E8M0 low nibble: weight i; high nibble: weight i + 16, each an E2M1
//   w = 2^(e − 127) · E2M1(nibble). e = 255, a NaN in the MX text, is read as 2^128 like every other
//   exponent.
#pragma once

#include <bit>
#include <cstdint>

#include "aprx/dtype/e2m1.hpp"

namespace aprx::codec {

struct BlockMxfp4 {
  static constexpr int kElements = 32;
  uint8_t exponent;
  uint8_t q[16];
};
static_assert(sizeof(BlockMxfp4) == 17 && alignof(BlockMxfp4) == 1);

// 2^(e − 128): half of the scale, for the doubled table. The two least are subnormal.
constexpr float half_e8m0(uint8_t e) {
  return std::bit_cast<float>(e < 2 ? 0x0020'0000U << e : static_cast<uint32_t>(e - 1) << 23);
}

constexpr void decode(const BlockMxfp4& block, float* out) {
  const float d = half_e8m0(block.exponent);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(kE2m1Doubled[block.q[i] & 0xF]);
    out[i + 16] = d * static_cast<float>(kE2m1Doubled[block.q[i] >> 4]);
  }
}

}  // namespace aprx::codec
