// Random numbers that are the same for a seed on every machine.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace aprx {

// xoshiro256** of Blackman and Vigna, its state filled from the seed by splitmix64. Not thread-safe.
class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15U;
      uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
      word = mixed ^ (mixed >> 31U);
    }
  }

  [[nodiscard]] uint64_t next() {
    const uint64_t result = std::rotl(state_[1] * 5U, 7) * 9U;
    const uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // A multiple of 2^-53 in [0, 1), each equally likely.
  [[nodiscard]] double next_unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  std::array<uint64_t, 4> state_ = {};
};

}  // namespace aprx
