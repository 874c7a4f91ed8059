// Decoding is bit-exact against vectors that another implementation made.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "aprx/dtype/decode.hpp"
#include "tests/support/npy.h"
#include "tests/support/shared.h"

namespace {

constexpr std::array<std::string_view, 27> kTypes = {
    "F16",   "BF16",   "Q4_0",   "Q4_1",  "Q5_0",  "Q5_1",    "Q8_0",   "Q2_K",  "Q3_K",
    "Q4_K",  "Q5_K",   "Q6_K",   "IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS",
    "IQ3_S", "IQ4_NL", "IQ4_XS", "TQ1_0", "TQ2_0", "MXFP4",   "NVFP4",  "Q1_0",  "Q2_0",
};

size_t differing_bits(aprx::DecodeFn decode, const std::vector<uint8_t>& raw,
                      const std::vector<float>& expected) {
  // One byte off any natural alignment, as data in a mapped file may be.
  std::vector<uint8_t> shifted(raw.size() + 1);
  std::memcpy(shifted.data() + 1, raw.data(), raw.size());
  std::vector<float> decoded(expected.size());
  decode(shifted.data() + 1, static_cast<int64_t>(decoded.size()), decoded.data());
  size_t differing = 0;
  for (size_t i = 0; i < decoded.size(); ++i) {
    differing += std::memcmp(&decoded[i], &expected[i], sizeof(float)) != 0 ? 1 : 0;
  }
  return differing;
}

}  // namespace

TEST_CASE("decoded vectors are equal to the last bit") {
  APRX_REQUIRE_SHARED(shared);
  const auto name = GENERATE(from_range(kTypes));
  INFO("dtype " << name);
  const auto arrays = aprx::test::read_npz(shared / "oracle/dequant" / (std::string(name) + ".npz"));
  const auto dtype = aprx::dtype_named(name);
  REQUIRE(dtype.has_value());
  const aprx::DecodeFn decode = aprx::decoder(*dtype);
  REQUIRE(decode != nullptr);

  const auto expected = arrays.at("f32").as<float>();
  REQUIRE(expected.size() == 3 * 512);
  CHECK(differing_bits(decode, arrays.at("raw").as<uint8_t>(), expected) == 0);
  if (arrays.contains("raw_random")) {
    CHECK(differing_bits(decode, arrays.at("raw_random").as<uint8_t>(),
                         arrays.at("f32_random").as<float>()) == 0);
  }
}
