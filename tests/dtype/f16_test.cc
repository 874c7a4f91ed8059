#include "aprx/dtype/f16.hpp"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

using aprx::codec::bf16_to_f32;
using aprx::codec::f16_to_f32;
using aprx::codec::f32_to_bf16;
using aprx::codec::f32_to_f16;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of a half by its definition.
double value_of_half(uint32_t half) {
  const double sign = (half & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((half >> 10) & 0x1FU);
  const int mantissa = static_cast<int>(half & 0x3FFU);
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

}  // namespace

TEST_CASE("every half converts exactly and comes back with the same bits") {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const float value = f16_to_f32(static_cast<uint16_t>(half));
    INFO("half " << half);
    if ((half & 0x7C00U) != 0x7C00U) {
      REQUIRE(static_cast<double>(value) == value_of_half(half));
      REQUIRE(std::signbit(value) == ((half & 0x8000U) != 0));
      REQUIRE(f32_to_f16(value) == half);
    } else if ((half & 0x3FFU) == 0) {
      REQUIRE(value == ((half & 0x8000U) != 0 ? -kInfinity : kInfinity));
      REQUIRE(f32_to_f16(value) == half);
    } else {
      REQUIRE(std::isnan(value));
      REQUIRE(f32_to_f16(value) == (half | 0x0200U));  // a NaN is made quiet
    }
  }
}

TEST_CASE("rounding to half is to nearest, ties to even, between every two neighbours") {
  for (uint32_t half = 0; half < 0x7BFF; ++half) {
    const double low = value_of_half(half);
    const double high = value_of_half(half + 1);
    const auto middle = static_cast<float>((low + high) / 2);  // exact: one bit more than a half
    INFO("half " << half);
    REQUIRE(f32_to_f16(middle) == half + (half & 1U));
    REQUIRE(f32_to_f16(std::nextafter(middle, 0.0F)) == half);
    REQUIRE(f32_to_f16(std::nextafter(middle, kInfinity)) == half + 1);
    REQUIRE(f32_to_f16(-middle) == (0x8000U | (half + (half & 1U))));
  }
}

TEST_CASE("halves overflow to infinity at 65520 and underflow to a signed zero") {
  CHECK(f32_to_f16(65504.0F) == 0x7BFF);
  CHECK(f32_to_f16(std::nextafter(65520.0F, 0.0F)) == 0x7BFF);
  CHECK(f32_to_f16(65520.0F) == 0x7C00);
  CHECK(f32_to_f16(-1e30F) == 0xFC00);
  CHECK(f32_to_f16(0x1p-25F) == 0x0000);
  CHECK(f32_to_f16(-0x1p-149F) == 0x8000);
  CHECK(f32_to_f16(std::nextafter(0x1p-25F, 1.0F)) == 0x0001);
}

TEST_CASE("every bfloat16 comes back with the same bits") {
  for (uint32_t value = 0; value < 0x10000; ++value) {
    const float wide = bf16_to_f32(static_cast<uint16_t>(value));
    REQUIRE(std::bit_cast<uint32_t>(wide) == value << 16);
    const uint32_t expected = std::isnan(wide) ? value | 0x40U : value;
    REQUIRE(f32_to_bf16(wide) == expected);
  }
}

TEST_CASE("rounding to bfloat16 is to nearest, ties to even") {
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3F80'8000U)) == 0x3F80);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3F81'8000U)) == 0x3F82);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3F80'8001U)) == 0x3F81);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x3F80'7FFFU)) == 0x3F80);
  CHECK(f32_to_bf16(std::numeric_limits<float>::max()) == 0x7F80);
  CHECK(f32_to_bf16(std::bit_cast<float>(0x7F80'0001U)) == 0x7FC0);  // a NaN doesn't become infinity
}

TEST_CASE("conversions are usable in constant expressions") {
  STATIC_CHECK(f16_to_f32(0x3C00) == 1.0F);
  STATIC_CHECK(f16_to_f32(0x0001) == 0x1p-24F);
  STATIC_CHECK(f32_to_f16(-2.0F) == 0xC000);
  STATIC_CHECK(f32_to_bf16(1.0F) == 0x3F80);
}
