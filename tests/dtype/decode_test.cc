// Values worked out by hand from the layouts, at the ends of each field.
#include "aprx/dtype/decode.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using aprx::DType;

constexpr uint16_t kOne = 0x3C00;
constexpr uint16_t kTwo = 0x4000;
constexpr uint16_t kInf = 0x7C00;
constexpr uint16_t kNan = 0x7E00;

// A block of `dtype` with every byte `fill`.
std::vector<uint8_t> block_of(DType dtype, uint8_t fill) {
  return std::vector<uint8_t>(static_cast<size_t>(aprx::dtype_info(dtype).block_bytes), fill);
}

void put_half(std::vector<uint8_t>& block, size_t at, uint16_t half) {
  aprx::codec::store_u16(half, block.data() + at);
}

std::vector<float> decoded(DType dtype, const std::vector<uint8_t>& block) {
  std::vector<float> out(static_cast<size_t>(aprx::dtype_info(dtype).block_elements));
  aprx::decoder(dtype)(block.data(), static_cast<int64_t>(out.size()), out.data());
  return out;
}

void check_all(const std::vector<float>& values, float expected) {
  for (const float value : values) CHECK(value == expected);
}

// Where the half-precision scales of each dtype lie in its block.
struct ScaleAt {
  DType dtype;
  std::vector<size_t> halves;
};

std::vector<ScaleAt> dtypes_with_half_scales() {
  return {{DType::kQ4_0, {0}},    {DType::kQ4_1, {0, 2}},   {DType::kQ5_0, {0}},    {DType::kQ5_1, {0, 2}},
          {DType::kQ8_0, {0}},    {DType::kQ2_K, {80, 82}}, {DType::kQ3_K, {108}},  {DType::kQ4_K, {0, 2}},
          {DType::kQ5_K, {0, 2}}, {DType::kQ6_K, {208}},    {DType::kIQ1_S, {0}},   {DType::kIQ2_XXS, {0}},
          {DType::kIQ2_XS, {0}},  {DType::kIQ2_S, {0}},     {DType::kIQ3_XXS, {0}}, {DType::kIQ3_S, {0}},
          {DType::kIQ4_NL, {0}},  {DType::kIQ4_XS, {0}},    {DType::kTQ1_0, {52}},  {DType::kTQ2_0, {64}},
          {DType::kQ1_0, {0}},    {DType::kQ2_0, {0}}};
}

}  // namespace

TEST_CASE("every dtype but the activation formats has a decoder") {
  for (uint32_t number = 0; number < APRX_DTYPE_COUNT; ++number) {
    const auto dtype = static_cast<DType>(number);
    const bool expected = dtype != DType::kUnknown && dtype != DType::kQ8_1 && dtype != DType::kQ8_K;
    INFO(aprx::dtype_name(dtype));
    CHECK((aprx::decoder(dtype) != nullptr) == expected);
  }
}

TEST_CASE("a zero scale decodes to zeros whatever the codes are") {
  for (const auto& [dtype, halves] : dtypes_with_half_scales()) {
    INFO(aprx::dtype_name(dtype));
    auto block = block_of(dtype, 0xA5);
    for (const size_t at : halves) put_half(block, at, 0);
    check_all(decoded(dtype, block), 0.0F);
  }
}

TEST_CASE("a NaN scale reaches every weight") {
  for (const auto& [dtype, halves] : dtypes_with_half_scales()) {
    INFO(aprx::dtype_name(dtype));
    auto block = block_of(dtype, 0xA5);
    for (const size_t at : halves) put_half(block, at, kNan);
    for (const float value : decoded(dtype, block)) CHECK(std::isnan(value));
  }
}

TEST_CASE("an infinite scale gives no finite weight") {
  for (const auto& [dtype, halves] : dtypes_with_half_scales()) {
    INFO(aprx::dtype_name(dtype));
    auto block = block_of(dtype, 0xA5);
    put_half(block, halves[0], kInf);
    for (size_t i = 1; i < halves.size(); ++i) put_half(block, halves[i], 0);
    for (const float value : decoded(dtype, block)) CHECK_FALSE(std::isfinite(value));
  }
}

TEST_CASE("Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 at all-ones and all-zero codes") {
  auto q4_0 = block_of(DType::kQ4_0, 0xFF);
  put_half(q4_0, 0, kTwo);
  check_all(decoded(DType::kQ4_0, q4_0), 14.0F);
  q4_0 = block_of(DType::kQ4_0, 0x00);
  put_half(q4_0, 0, kTwo);
  check_all(decoded(DType::kQ4_0, q4_0), -16.0F);

  auto q4_1 = block_of(DType::kQ4_1, 0xFF);
  put_half(q4_1, 0, kTwo);
  put_half(q4_1, 2, kOne);
  check_all(decoded(DType::kQ4_1, q4_1), 31.0F);

  auto q5_0 = block_of(DType::kQ5_0, 0xFF);
  put_half(q5_0, 0, kOne);
  check_all(decoded(DType::kQ5_0, q5_0), 15.0F);
  auto q5_1 = block_of(DType::kQ5_1, 0xFF);
  put_half(q5_1, 0, kOne);
  put_half(q5_1, 2, kTwo);
  check_all(decoded(DType::kQ5_1, q5_1), 33.0F);

  auto q8_0 = block_of(DType::kQ8_0, 0x80);
  put_half(q8_0, 0, kTwo);
  check_all(decoded(DType::kQ8_0, q8_0), -256.0F);
}

TEST_CASE("nibbles of Q4_0 and the fifth bits of Q5_0 go to weights i and i + 16") {
  auto q4_0 = block_of(DType::kQ4_0, 0x88);
  put_half(q4_0, 0, kOne);
  q4_0[2 + 3] = 0x1F;
  auto out = decoded(DType::kQ4_0, q4_0);
  CHECK(out[3] == 7.0F);
  CHECK(out[19] == -7.0F);
  CHECK(out[4] == 0.0F);

  auto q5_0 = block_of(DType::kQ5_0, 0x00);
  put_half(q5_0, 0, kOne);
  q5_0[2] = 0x02;  // bit 1
  q5_0[4] = 0x04;  // bit 18
  out = decoded(DType::kQ5_0, q5_0);
  CHECK(out[0] == -16.0F);
  CHECK(out[1] == 0.0F);
  CHECK(out[18] == 0.0F);
  CHECK(out[17] == -16.0F);
}

TEST_CASE("K types at all-ones fields") {
  auto q2 = block_of(DType::kQ2_K, 0xFF);
  put_half(q2, 80, kTwo);
  put_half(q2, 82, kOne);
  check_all(decoded(DType::kQ2_K, q2), 2 * 15 * 3 - 15);

  auto q3 = block_of(DType::kQ3_K, 0xFF);
  put_half(q3, 108, kOne);
  check_all(decoded(DType::kQ3_K, q3), 31 * 3);
  q3 = block_of(DType::kQ3_K, 0x00);
  put_half(q3, 108, kOne);
  check_all(decoded(DType::kQ3_K, q3), -32 * -4);

  auto q4 = block_of(DType::kQ4_K, 0xFF);
  put_half(q4, 0, kTwo);
  put_half(q4, 2, kOne);
  check_all(decoded(DType::kQ4_K, q4), 2 * 63 * 15 - 63);

  auto q5 = block_of(DType::kQ5_K, 0xFF);
  put_half(q5, 0, kTwo);
  put_half(q5, 2, kOne);
  check_all(decoded(DType::kQ5_K, q5), 2 * 63 * 31 - 63);

  auto q6 = block_of(DType::kQ6_K, 0xFF);
  put_half(q6, 208, kTwo);
  check_all(decoded(DType::kQ6_K, q6), 2 * -1 * 31);
}

TEST_CASE("scales and mins of Q4_K are unpacked from the twelve bytes") {
  // scale j = 10 + j and min j = 40 + j: 14..17 and 44..47 are split over three bytes.
  auto block = block_of(DType::kQ4_K, 0x00);
  put_half(block, 0, kOne);
  put_half(block, 2, kOne);
  for (size_t j = 0; j < 4; ++j) {
    const size_t scale = 14 + j;
    const size_t min = 44 + j;
    block[4 + j] = static_cast<uint8_t>((10 + j) | ((scale >> 4) << 6));
    block[8 + j] = static_cast<uint8_t>((40 + j) | ((min >> 4) << 6));
    block[12 + j] = static_cast<uint8_t>((scale & 0xF) | ((min & 0xF) << 4));
  }
  for (size_t i = 16; i < block.size(); ++i) block[i] = 0x11;
  const auto out = decoded(DType::kQ4_K, block);
  for (size_t j = 0; j < 8; ++j) {
    CHECK(out[32 * j] == -30.0F);  // (10 + j) − (40 + j)
    CHECK(out[32 * j + 31] == -30.0F);
  }
}

TEST_CASE("the fifth bits of Q5_K belong to the group of their bit number") {
  auto block = block_of(DType::kQ5_K, 0x00);
  put_half(block, 0, kOne);
  for (size_t j = 0; j < 4; ++j) block[4 + j] = 1;   // scales 0..3
  for (size_t j = 8; j < 12; ++j) block[4 + j] = 1;  // scales 4..7
  block[16 + 7] = 0x20;                              // weight 7 of group 5
  const auto out = decoded(DType::kQ5_K, block);
  for (size_t i = 0; i < out.size(); ++i) CHECK(out[i] == (i == 32 * 5 + 7 ? 16.0F : 0.0F));
}

TEST_CASE("the quarters of Q6_K") {
  auto block = block_of(DType::kQ6_K, 0x00);
  put_half(block, 208, kOne);
  for (size_t j = 0; j < 16; ++j) block[192 + j] = static_cast<uint8_t>(j + 1);
  block[64 + 32 + 5] = 0xF0;      // second half, high nibbles of the second 32 bytes: quarter 3
  block[128 + 32 + 5] = 3U << 6;  // its two high bits
  const auto out = decoded(DType::kQ6_K, block);
  const size_t at = 128 + 96 + 5;
  CHECK(out[at] == 15.0F * 31.0F);
  CHECK(out[at + 1] == 15.0F * -32.0F);
  CHECK(out[0] == -32.0F);
}

TEST_CASE("ternary and one- and two-bit types") {
  auto tq1 = block_of(DType::kTQ1_0, 0x00);
  put_half(tq1, 52, kTwo);
  check_all(decoded(DType::kTQ1_0, tq1), -2.0F);
  // 20120 in base 3 is 177; as a fraction of 256, rounded up: 187.
  tq1[4] = 187;
  const auto digits = decoded(DType::kTQ1_0, tq1);
  CHECK(digits[4] == 2.0F);
  CHECK(digits[36] == -2.0F);
  CHECK(digits[68] == 0.0F);
  CHECK(digits[100] == 2.0F);
  CHECK(digits[132] == -2.0F);

  auto tq2 = block_of(DType::kTQ2_0, 0xFF);
  put_half(tq2, 64, kTwo);
  check_all(decoded(DType::kTQ2_0, tq2), 4.0F);

  auto q1 = block_of(DType::kQ1_0, 0xFF);
  put_half(q1, 0, kTwo);
  check_all(decoded(DType::kQ1_0, q1), 2.0F);
  q1 = block_of(DType::kQ1_0, 0x00);
  put_half(q1, 0, kTwo);
  q1[2 + 9] = 0x10;
  const auto bits = decoded(DType::kQ1_0, q1);
  for (size_t i = 0; i < bits.size(); ++i) CHECK(bits[i] == (i == 76 ? 2.0F : -2.0F));

  auto q2 = block_of(DType::kQ2_0, 0xE4);  // codes 0, 1, 2, 3
  put_half(q2, 0, kOne);
  const auto codes = decoded(DType::kQ2_0, q2);
  for (size_t i = 0; i < codes.size(); ++i) CHECK(codes[i] == static_cast<float>(i % 4) - 1.0F);
}

TEST_CASE("four-bit floats at the ends of their scales") {
  auto mxfp4 = block_of(DType::kMXFP4, 0x7F);  // codes 15 and 7: −6 and 6
  mxfp4[0] = 127;
  auto out = decoded(DType::kMXFP4, mxfp4);
  CHECK(out[0] == -6.0F);
  CHECK(out[16] == 6.0F);
  mxfp4[0] = 0;
  out = decoded(DType::kMXFP4, mxfp4);
  CHECK(out[16] == 6.0F * 0x1p-127F);
  mxfp4[0] = 1;
  CHECK(decoded(DType::kMXFP4, mxfp4)[16] == 6.0F * 0x1p-126F);
  mxfp4[0] = 255;
  CHECK(decoded(DType::kMXFP4, mxfp4)[16] == std::numeric_limits<float>::infinity());

  auto nvfp4 = block_of(DType::kNVFP4, 0x2A);  // codes 10 and 2: −1 and 1
  nvfp4[0] = 0x38;                             // 1
  nvfp4[1] = 0x7E;                             // 448
  nvfp4[2] = 0x01;                             // 2^−9
  nvfp4[3] = 0x7F;                             // reads as zero
  out = decoded(DType::kNVFP4, nvfp4);
  CHECK(out[0] == -1.0F);
  CHECK(out[8] == 1.0F);
  CHECK(out[24] == 448.0F);
  CHECK(out[40] == 0x1p-9F);
  CHECK(out[56] == 0.0F);
}

TEST_CASE("IQ4 tables and the split scales of IQ4_XS") {
  auto nl = block_of(DType::kIQ4_NL, 0xF0);
  put_half(nl, 0, kTwo);
  const auto ends = decoded(DType::kIQ4_NL, nl);
  CHECK(ends[0] == -254.0F);
  CHECK(ends[16] == 226.0F);

  auto xs = block_of(DType::kIQ4_XS, 0x88);  // code 8 is 1
  put_half(xs, 0, kOne);
  put_half(xs, 2, 0xC000);  // group 7: two high bits set
  xs[4] = 0x00;             // groups 0 and 1
  xs[7] = 0xF0;             // groups 6 and 7
  const auto out = decoded(DType::kIQ4_XS, xs);
  CHECK(out[0] == -32.0F);
  CHECK(out[32 * 2] == 8.0F - 32.0F);
  CHECK(out[32 * 6] == -32.0F);
  CHECK(out[255] == 31.0F);
}

TEST_CASE("grids: first and last points, scales and signs at their ends") {
  auto iq1_s = block_of(DType::kIQ1_S, 0x00);
  put_half(iq1_s, 0, kOne);
  check_all(decoded(DType::kIQ1_S, iq1_s), -0.875F);
  iq1_s = block_of(DType::kIQ1_S, 0xFF);
  put_half(iq1_s, 0, kOne);
  check_all(decoded(DType::kIQ1_S, iq1_s), 15.0F * 0.875F);

  auto iq1_m = block_of(DType::kIQ1_M, 0xFF);
  for (size_t i = 0; i < 4; ++i) iq1_m[49 + 2 * i] &= 0x0F;
  iq1_m[55] |= 0x30;
  iq1_m[53] |= 0xC0;  // the top nibbles are 0x3C00, one
  check_all(decoded(DType::kIQ1_M, iq1_m), 15.0F * 0.875F);

  auto iq2_xxs = block_of(DType::kIQ2_XXS, 0x00);
  put_half(iq2_xxs, 0, kOne);
  check_all(decoded(DType::kIQ2_XXS, iq2_xxs), 1.0F);  // 8 · 1/2 / 4
  auto iq2_xs = block_of(DType::kIQ2_XS, 0x00);
  put_half(iq2_xs, 0, kOne);
  iq2_xs[3] = 0x02;  // the first eight: sign bit 0, so the eighth is negative too
  auto out = decoded(DType::kIQ2_XS, iq2_xs);
  CHECK(out[0] == -1.0F);
  CHECK(out[1] == 1.0F);
  CHECK(out[7] == -1.0F);
  auto iq2_s = block_of(DType::kIQ2_S, 0x00);
  put_half(iq2_s, 0, kOne);
  iq2_s[34 + 31] = 0x80;  // the last weight is negative
  iq2_s[74 + 7] = 0xF0;   // and its sixteen have the largest scale
  out = decoded(DType::kIQ2_S, iq2_s);
  CHECK(out[254] == 31.0F);
  CHECK(out[255] == -31.0F);
  CHECK(out[239] == 1.0F);

  auto iq3_xxs = block_of(DType::kIQ3_XXS, 0x00);
  put_half(iq3_xxs, 0, kOne);
  check_all(decoded(DType::kIQ3_XXS, iq3_xxs), 1.0F);  // 4 · 1/2 / 2
  auto iq3_s = block_of(DType::kIQ3_S, 0x00);
  put_half(iq3_s, 0, kOne);
  iq3_s[74] = 0x11;  // weights 0 and 4 are negative
  iq3_s[106] = 0x0F;
  out = decoded(DType::kIQ3_S, iq3_s);
  CHECK(out[0] == -31.0F);
  CHECK(out[4] == -31.0F);
  CHECK(out[5] == 31.0F);
  CHECK(out[32] == 1.0F);
}

TEST_CASE("decoding is usable in constant expressions") {
  constexpr float kLast = [] {
    aprx::codec::BlockQ6_K block{};
    aprx::codec::store_u16(kOne, block.d);
    block.scales[15] = 1;
    float out[256] = {};
    aprx::codec::decode(block, out);
    return out[255];
  }();
  STATIC_CHECK(kLast == -32.0F);
}
