// Small fields of a word spread out to bytes, the first lowest, without a loop.
#pragma once

#include <cstdint>

namespace aprx::cpu {

// Eight nibbles as eight bytes.
constexpr uint64_t spread_nibbles(uint32_t nibbles) {
  uint64_t x = nibbles;
  x = (x | (x << 16)) & 0x0000'FFFF'0000'FFFFU;
  x = (x | (x << 8)) & 0x00FF'00FF'00FF'00FFU;
  return (x | (x << 4)) & 0x0F0F'0F0F'0F0F'0F0FU;
}

// Eight fields of two bits as eight bytes.
constexpr uint64_t spread_bit_pairs(uint32_t pairs) {
  uint64_t x = pairs;
  x = (x | (x << 24)) & 0x0000'00FF'0000'00FFU;
  x = (x | (x << 12)) & 0x000F'000F'000F'000FU;
  return (x | (x << 6)) & 0x0303'0303'0303'0303U;
}

// Bytes 0, 2, 4 and 6.
constexpr uint32_t even_bytes(uint64_t x) {
  x &= 0x00FF'00FF'00FF'00FFU;
  x = (x | (x >> 8)) & 0x0000'FFFF'0000'FFFFU;
  return static_cast<uint32_t>(x | (x >> 16));
}

// Bytes 0, 2 … 14 of sixteen, `low` the first eight.
constexpr uint64_t even_bytes(uint64_t low, uint64_t high) {
  return even_bytes(low) | (static_cast<uint64_t>(even_bytes(high)) << 32);
}

}  // namespace aprx::cpu
