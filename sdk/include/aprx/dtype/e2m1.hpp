// The sixteen values of the four-bit float E2M1 (sign, two exponent bits, one mantissa bit), doubled so that
// they are whole numbers. Source: OCP Microscaling Formats (MX) 1.0.
#pragma once

#include <cstdint>

namespace aprx::codec {

inline constexpr int8_t kE2m1Doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

}  // namespace aprx::codec
