#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "aprx/dtype/decode.hpp"
#include "runtime/check/values_gate.h"
#include "tests/check/check_fixture.h"
#include "tests/check/small_model.h"

namespace aprx::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Gate values_of(CheckFixture& fixture, const GgufWriter& writer) {
  writer.write(fixture.folder / "v.gguf");
  auto file = TestHost::instance().registry().open_model(fixture.folder / "v.gguf");
  if (!file) FAIL(file.error().text());
  return check_values(**file, fixture.context);
}

GgufWriter one_tensor(std::vector<uint64_t> dims, uint32_t type, std::string data) {
  GgufWriter writer;
  writer.add({"t", std::move(dims), type, std::move(data)});
  return writer;
}

struct NumberedType {
  uint32_t number;  // in a file
  DType dtype;
};

// Types whose block of bytes 0xFF has a scale that is NaN, or is NaN itself.
constexpr NumberedType kTypes[] = {
    {0, DType::kF32},      {1, DType::kF16},     {2, DType::kQ4_0},     {3, DType::kQ4_1},
    {6, DType::kQ5_0},     {7, DType::kQ5_1},    {8, DType::kQ8_0},     {10, DType::kQ2_K},
    {11, DType::kQ3_K},    {12, DType::kQ4_K},   {13, DType::kQ5_K},    {14, DType::kQ6_K},
    {16, DType::kIQ2_XXS}, {17, DType::kIQ2_XS}, {18, DType::kIQ3_XXS}, {19, DType::kIQ1_S},
    {20, DType::kIQ4_NL},  {21, DType::kIQ3_S},  {22, DType::kIQ2_S},   {23, DType::kIQ4_XS},
    {28, DType::kF64},     {29, DType::kIQ1_M},  {30, DType::kBF16},    {34, DType::kTQ1_0},
    {35, DType::kTQ2_0},   {41, DType::kQ1_0},   {42, DType::kQ2_0}};

}  // namespace

TEST_CASE("every type's bad block is found, counted and placed", "[check]") {
  CheckFixture fixture;
  for (const auto& [number, dtype] : kTypes) {
    const DTypeInfo& info = dtype_info(dtype);
    INFO(info.name);
    const auto block = static_cast<size_t>(info.block_bytes);
    const auto width = static_cast<uint64_t>(info.block_elements);
    // Two rows of two blocks; the second row's first block is bad.
    std::string data(4 * block, '\0');
    data.replace(2 * block, block, block, '\xFF');
    const Gate gate = values_of(fixture, one_tensor({2 * width, 2}, number, data));
    REQUIRE(gate.outcome == Outcome::kBroken);
    CHECK(gate.findings[0].subject == "tensor t");
    CHECK(gate.findings[0].found == std::to_string(width) + " NaN of " + std::to_string(4 * width) +
                                        " values (" + std::string(info.name) +
                                        "), the first, NaN, at [1, 0]");
  }
}

TEST_CASE("an infinite scale is found though it hides behind weights of zero", "[check]") {
  CheckFixture fixture;
  std::string block(34, '\0');
  block.replace(0, 2, std::string("\x00\x7C", 2));  // infinity; the weights are infinity times 0
  const Gate gate = values_of(fixture, one_tensor({32}, 8, block));
  REQUIRE(gate.outcome == Outcome::kBroken);
  CHECK(gate.findings[0].found == "32 NaN of 32 values (Q8_0), the first, NaN, at [0]");
}

TEST_CASE("a scale far off is found by the size of its values", "[check]") {
  CheckFixture fixture;
  // MXFP4: 2^(254 - 127), nibbles of 1/2 and 0.
  const std::string block = "\xFE" + std::string(16, '\x01');
  const Gate gate = values_of(fixture, one_tensor({32}, 39, block));
  REQUIRE(gate.outcome == Outcome::kBroken);
  CHECK(gate.findings[0].found.starts_with("16 absurdly large of 32 values (MXFP4), the first, "));
}

TEST_CASE("the bound itself is not absurd", "[check]") {
  CheckFixture fixture;
  const std::string good = little_endian(kMostMagnitude) + little_endian(-kMostMagnitude);
  const Gate held = values_of(fixture, one_tensor({2}, 0, good));
  CHECK(held.outcome == Outcome::kHeld);
  CHECK(held.reason == "2 values, all finite, none above 10000 in magnitude");
  const std::string bad = good + little_endian(-10001.0F);
  CHECK(values_of(fixture, one_tensor({3}, 0, bad)).findings[0].found ==
        "1 absurdly large of 3 values (F32), the first, -10001, at [2]");
}

TEST_CASE("kinds of bad values are counted apart, over pieces of a long tensor", "[check]") {
  CheckFixture fixture;
  constexpr uint64_t kRows = 1200;
  constexpr uint64_t kWidth = 512;
  std::string data(4 * kRows * kWidth, '\0');
  const auto put = [&](uint64_t row, uint64_t column, float value) {
    data.replace(4 * (row * kWidth + column), 4, little_endian(value));
  };
  put(700, 3, kInfinity);
  put(700, 4, kNan);
  put(1199, 511, 1e30F);
  const Gate gate = values_of(fixture, one_tensor({kWidth, kRows}, 0, data));
  REQUIRE(gate.outcome == Outcome::kBroken);
  CHECK(gate.findings[0].found ==
        "1 NaN, 1 infinite, 1 absurdly large of 614400 values (F32), the first, inf, at [700, 3]");
}

TEST_CASE("integers hold no weights", "[check]") {
  CheckFixture fixture;
  CHECK(values_of(fixture, one_tensor({1}, 26, little_endian(int32_t{1'000'000}))).outcome == Outcome::kHeld);
}

TEST_CASE("a type without a decoder is not measured", "[check]") {
  CheckFixture fixture;
  const Gate gate = values_of(fixture, one_tensor({32}, 9, std::string(36, '\0')));
  CHECK(gate.outcome == Outcome::kNotMeasured);
  CHECK(gate.reason == "1 of 1 tensors can't be decoded, the first t (Q8_1)");
}

TEST_CASE("a scan that was stopped holds nothing", "[check]") {
  CheckFixture fixture;
  fixture.cancelled = true;
  const Gate gate = values_of(fixture, one_tensor({1}, 0, little_endian(1.0F)));
  CHECK(gate.outcome == Outcome::kNotMeasured);
  CHECK(gate.reason == "stopped before it was done");
}

TEST_CASE("one NaN in a norm is found where it is", "[check]") {
  CheckFixture fixture;
  SmallModel model;
  model.set("blk.0.attn_norm.weight", 7, kNan);
  const ModelCheck check = fixture.check(model.writer());
  CHECK(outcomes(check) == "not_measured held held broken held");
  const Error finding = only_finding(check, "values");
  CHECK(finding.subject == "tensor blk.0.attn_norm.weight");
  CHECK(finding.found == "1 NaN of 32 values (F32), the first, NaN, at [7]");
  CHECK(verdict(check) == ErrorCode::kCheckFailed);
}

}  // namespace aprx::test
