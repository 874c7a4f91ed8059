#include "aprx/dtype/encode.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "aprx/dtype/decode.hpp"

namespace {

using aprx::DType;

std::vector<float> round_trip(DType dtype, const std::vector<float>& values) {
  const auto elements = static_cast<int64_t>(values.size());
  std::vector<uint8_t> bytes(static_cast<size_t>(aprx::row_bytes(dtype, elements)));
  aprx::encoder(dtype)(values.data(), elements, bytes.data());
  std::vector<float> back(values.size());
  aprx::decoder(dtype)(bytes.data(), elements, back.data());
  return back;
}

}  // namespace

TEST_CASE("only the dtypes of a KV cache can be encoded") {
  for (uint32_t number = 0; number < APRX_DTYPE_COUNT; ++number) {
    const auto dtype = static_cast<DType>(number);
    const bool expected =
        dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kQ8_0;
    CHECK((aprx::encoder(dtype) != nullptr) == expected);
  }
}

TEST_CASE("values that a dtype holds exactly come back unchanged") {
  const auto dtype = GENERATE(DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0);
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 31.0F;
  values[5] = 127.0F;  // makes the scale of a Q8_0 block one
  values[40] = -127.0F;
  CHECK(round_trip(dtype, values) == values);
}

TEST_CASE("Q8_0 rounds to the nearest step, halves away from zero") {
  std::vector<float> values(32, 0.0F);
  values[0] = 127.0F;
  values[1] = 0.5F;
  values[2] = -0.5F;
  values[3] = 2.5F;
  values[4] = 1.4999999F;
  const auto back = round_trip(DType::kQ8_0, values);
  CHECK(back[0] == 127.0F);
  CHECK(back[1] == 1.0F);
  CHECK(back[2] == -1.0F);
  CHECK(back[3] == 3.0F);
  CHECK(back[4] == 1.0F);
  CHECK(back[5] == 0.0F);
}

TEST_CASE("Q8_0 is within half a step of random values") {
  std::mt19937 random(17);
  std::normal_distribution<float> normal(0.0F, 3.0F);
  std::vector<float> values(32 * 50);
  for (float& value : values) value = normal(random);
  const auto back = round_trip(DType::kQ8_0, values);
  for (size_t block = 0; block < values.size(); block += 32) {
    float largest = 0;
    for (size_t i = 0; i < 32; ++i) largest = std::max(largest, std::fabs(values[block + i]));
    // Half a step, and what a half-precision scale may be off at the largest code.
    const float bound = largest / 127.0F * 0.5F + largest * 0x1p-11F + 1e-6F;
    for (size_t i = 0; i < 32; ++i) CHECK(std::fabs(back[block + i] - values[block + i]) <= bound);
  }
}

TEST_CASE("Q8_0 of tiny values is zero and of a NaN or an infinity is NaN, in that block only") {
  const float bad = GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity());
  std::vector<float> values(96, 1e-42F);
  for (size_t i = 64; i < 96; ++i) values[i] = 127.0F;
  values[40] = bad;
  const auto back = round_trip(DType::kQ8_0, values);
  for (size_t i = 0; i < 32; ++i) CHECK(back[i] == 0.0F);
  for (size_t i = 32; i < 64; ++i) CHECK(std::isnan(back[i]));
  for (size_t i = 64; i < 96; ++i) CHECK(back[i] == 127.0F);
}
