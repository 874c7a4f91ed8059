// IEEE half precision and bfloat16, converted by integer arithmetic: the same bits on every machine.
//
//   half      seeeeemmmmmmmmmm          exponent bias 15, subnormals 2^-24 · m
//   bfloat16  seeeeeeeemmmmmmm          the upper half of a float
//
// To float is exact. From float rounds to nearest, ties to even; overflow gives infinity. A NaN stays a NaN
// of the same sign, is made quiet, and keeps the upper bits of its payload.
#pragma once

#include <bit>
#include <cstdint>

#include "aprx/dtype/bytes.hpp"

namespace aprx::codec {

constexpr float f16_to_f32(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1F;
  const uint32_t mantissa = half & 0x3FF;
  if (exponent == 0) {
    // Zero and subnormals: the product is exact in a float.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  if (exponent == 0x1F) {
    const uint32_t quiet = mantissa != 0 ? 0x0040'0000U : 0U;
    return std::bit_cast<float>(sign | 0x7F80'0000U | quiet | (mantissa << 13));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

constexpr uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7FFF'FFFFU;
  if (magnitude > 0x7F80'0000U) {
    return static_cast<uint16_t>(sign | 0x7E00 | ((magnitude >> 13) & 0x3FF));
  }
  if (magnitude >= 0x477F'F000U) return static_cast<uint16_t>(sign | 0x7C00);  // 65520 and more
  if (magnitude >= 0x3880'0000U) {                                             // normal from 2^-14
    const uint32_t rounded = magnitude + 0x0FFFU + ((magnitude >> 13) & 1U);
    return static_cast<uint16_t>(sign | ((rounded - 0x3800'0000U) >> 13));
  }
  if (magnitude <= 0x3300'0000U) return sign;  // up to 2^-25, half of the least subnormal: to even, zero
  const uint32_t shift = 126 - (magnitude >> 23);
  const uint32_t significand = (magnitude & 0x007F'FFFFU) | 0x0080'0000U;
  const uint32_t kept = significand >> shift;
  const uint32_t rest = significand & ((1U << shift) - 1);
  const uint32_t half_way = 1U << (shift - 1);
  const bool up = rest > half_way || (rest == half_way && (kept & 1U) != 0);
  return static_cast<uint16_t>(sign | (kept + (up ? 1U : 0U)));
}

constexpr float bf16_to_f32(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

constexpr uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFF'FFFFU) > 0x7F80'0000U) return static_cast<uint16_t>((bits >> 16) | 0x0040);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

// The half at an address of any alignment, as the scale of a block.
constexpr float load_f16(const uint8_t* p) { return f16_to_f32(load_u16(p)); }

}  // namespace aprx::codec
