// How the IQ2 and IQ3 types store eight signs: a set bit i makes weight i negative.
#pragma once

#include <bit>
#include <cstdint>

namespace aprx::codec {

// Types with seven stored sign bits make the number of negative weights even; the eighth bit follows.
constexpr uint32_t even_signs(uint32_t seven) {
  return seven | (static_cast<uint32_t>(std::popcount(seven) & 1) << 7);
}

constexpr float with_sign(float value, uint32_t signs, int i) {
  return ((signs >> i) & 1U) != 0 ? -value : value;
}

}  // namespace aprx::codec
