// The grids of IQ1, IQ2 and IQ3 as bytes, a word a point, the first weight in the lowest byte.
#pragma once

#include <array>
#include <cstdint>

namespace aprx::cpu {

// Magnitudes.
extern const std::array<uint64_t, 256> kIq2XxsWords;
extern const std::array<uint64_t, 512> kIq2XsWords;
extern const std::array<uint64_t, 1024> kIq2SWords;
extern const std::array<uint32_t, 256> kIq3XxsWords;
extern const std::array<uint32_t, 512> kIq3SWords;

// 8 · (value + 1). A weight shifted by −1/8 or +1/8 is this or 2 more, in eighths, beside an offset of 9.
extern const std::array<uint64_t, 2048> kIq1Words;

// Eight signs from the seven that are stored.
extern const std::array<uint8_t, 128> kEvenSigns;

}  // namespace aprx::cpu
