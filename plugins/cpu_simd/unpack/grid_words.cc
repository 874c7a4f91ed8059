#include "plugins/cpu_simd/unpack/grid_words.h"

#include <cstddef>

#include "aprx/dtype/iq1_grid.hpp"
#include "aprx/dtype/iq2_grid.hpp"
#include "aprx/dtype/iq3_grid.hpp"
#include "aprx/dtype/iq_signs.hpp"

namespace aprx::cpu {
namespace {

// Each field of kBits of a point, through a table, as a byte of a word.
template <typename Word, int kBits, size_t kPoints, size_t kValues>
constexpr std::array<Word, kPoints> words_of(const uint16_t (&grid)[kPoints],
                                             const uint8_t (&values)[kValues]) {
  std::array<Word, kPoints> words{};
  for (size_t p = 0; p < kPoints; ++p) {
    for (size_t i = 0; i < sizeof(Word); ++i) {
      const auto field = (static_cast<uint32_t>(grid[p]) >> (kBits * i)) & ((1U << kBits) - 1);
      words[p] |= static_cast<Word>(values[field]) << (8 * i);
    }
  }
  return words;
}

constexpr std::array<uint8_t, 128> even_signs() {
  std::array<uint8_t, 128> signs{};
  for (uint32_t seven = 0; seven < 128; ++seven) {
    signs[seven] = static_cast<uint8_t>(codec::even_signs(seven));
  }
  return signs;
}

constexpr uint8_t kIq1Values[3] = {0, 8, 16};

}  // namespace

constinit const std::array<uint64_t, 256> kIq2XxsWords =
    words_of<uint64_t, 2>(codec::kIq2XxsGrid, codec::kIq2Magnitudes);
constinit const std::array<uint64_t, 512> kIq2XsWords =
    words_of<uint64_t, 2>(codec::kIq2XsGrid, codec::kIq2Magnitudes);
constinit const std::array<uint64_t, 1024> kIq2SWords =
    words_of<uint64_t, 2>(codec::kIq2SGrid, codec::kIq2Magnitudes);
constinit const std::array<uint32_t, 256> kIq3XxsWords =
    words_of<uint32_t, 3>(codec::kIq3XxsGrid, codec::kIq3XxsMagnitudes);
constinit const std::array<uint32_t, 512> kIq3SWords =
    words_of<uint32_t, 3>(codec::kIq3SGrid, codec::kIq3SMagnitudes);
constinit const std::array<uint64_t, 2048> kIq1Words = words_of<uint64_t, 2>(codec::kIq1Grid, kIq1Values);
constinit const std::array<uint8_t, 128> kEvenSigns = even_signs();

}  // namespace aprx::cpu
