// The KV cache, attention over it, and rope, by hand.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "aprx/conformance/call.hpp"
#include "aprx/conformance/reference.hpp"
#include "aprx/dtype/decode.hpp"
#include "aprx/dtype/encode.hpp"

namespace {

using aprx::Attr;
using aprx::DType;
using aprx::Op;
using aprx::Role;
using aprx::Word;
using aprx::conformance::Call;
using aprx::conformance::normalized_error;
using aprx::conformance::reference_rows;

using Values = std::vector<float>;

Values random_values(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Values values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<std::byte> zeros(DType dtype, int64_t rows, int64_t width) {
  return std::vector<std::byte>(static_cast<size_t>(rows * aprx::row_bytes(dtype, width)));
}

struct Attending {
  std::vector<int64_t> q_shape;
  Values q;
  std::vector<int32_t> positions;
  std::vector<int64_t> cache_shape;
  double scale = 1.0, softcap = 0.0;
  int64_t window = 0;
};

Values attend(const Attending& in, DType dtype, std::span<const std::byte> keys,
              std::span<const std::byte> values) {
  Call call(Op::kAttention);
  call.input(Role::kQ, in.q_shape, in.q).integers(Role::kPos, in.positions).output(Role::kY, in.q_shape);
  call.state(Role::kKCache, dtype, in.cache_shape, keys).state(Role::kVCache, dtype, in.cache_shape, values);
  call.real(Attr::kScale, in.scale).real(Attr::kSoftcap, in.softcap).integer(Attr::kWindow, in.window);
  call.run(reference_rows());
  return call.floats(Role::kY);
}

Values attend(const Attending& in, const Values& keys, const Values& values) {
  return attend(in, DType::kF32, std::as_bytes(std::span(keys)), std::as_bytes(std::span(values)));
}

Values rotated(const Values& x, int32_t position, Word style, int64_t n_rot, double base) {
  Call call(Op::kRope);
  const auto width = static_cast<int64_t>(x.size());
  call.input(Role::kX, {1, 1, width}, x).integers(Role::kPos, std::vector<int32_t>{position});
  call.output(Role::kY, {1, 1, width}).word(Attr::kStyle, style).word(Attr::kScaling, Word::kNone);
  call.integer(Attr::kNRot, n_rot)
      .real(Attr::kBase, base)
      .real(Attr::kScalingFactor, 1.0)
      .run(reference_rows());
  return call.floats(Role::kY);
}

}  // namespace

TEST_CASE("kv_store writes the rows of its positions and no others") {
  const auto dtype = GENERATE(DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0);
  const int64_t heads = 2;
  const int64_t width = 32;
  const int64_t length = 6;
  const Values k = random_values(2 * 2 * 32, 1);
  const Values v = random_values(2 * 2 * 32, 2);
  Call call(Op::kKvStore);
  call.input(Role::kK, {2, heads, width}, k).input(Role::kV, {2, heads, width}, v);
  call.integers(Role::kPos, std::vector<int32_t>{4, 1});
  call.state(Role::kKCache, dtype, {length, heads, width}, zeros(dtype, length * heads, width));
  call.state(Role::kVCache, dtype, {length, heads, width}, zeros(dtype, length * heads, width));
  call.run(reference_rows());

  const auto check = [&](Role role, const Values& stored) {
    const auto bytes = call.bytes(role);
    std::vector<std::byte> expected = zeros(dtype, length * heads, width);
    const auto row = static_cast<size_t>(heads * aprx::row_bytes(dtype, width));
    const auto encode = aprx::encoder(dtype);
    encode(stored.data(), 64, reinterpret_cast<uint8_t*>(expected.data() + 4 * row));
    encode(stored.data() + 64, 64, reinterpret_cast<uint8_t*>(expected.data() + 1 * row));
    CHECK(std::vector<std::byte>(bytes.begin(), bytes.end()) == expected);
  };
  check(Role::kKCache, k);
  check(Role::kVCache, v);
}

TEST_CASE("attention over a cache of any dtype reads what the cache holds") {
  const auto dtype = GENERATE(DType::kF16, DType::kBF16, DType::kQ8_0);
  const Attending in{{3, 4, 32}, random_values(3 * 4 * 32, 3), {7, 8, 9}, {12, 2, 32}, 0.2};
  const Values keys = random_values(12 * 2 * 32, 4);
  const Values values = random_values(12 * 2 * 32, 5);
  auto packed_keys = zeros(dtype, 24, 32);
  auto packed_values = zeros(dtype, 24, 32);
  aprx::encoder(dtype)(keys.data(), 24 * 32, reinterpret_cast<uint8_t*>(packed_keys.data()));
  aprx::encoder(dtype)(values.data(), 24 * 32, reinterpret_cast<uint8_t*>(packed_values.data()));
  Values held_keys(keys.size());
  Values held_values(values.size());
  aprx::decoder(dtype)(reinterpret_cast<const uint8_t*>(packed_keys.data()), 24 * 32, held_keys.data());
  aprx::decoder(dtype)(reinterpret_cast<const uint8_t*>(packed_values.data()), 24 * 32, held_values.data());
  CHECK(attend(in, dtype, packed_keys, packed_values) == attend(in, held_keys, held_values));
}

TEST_CASE("attention sees positions up to its own, within the window") {
  // All scores are equal, so the output is the mean of the values seen: 10, 20, 30, 40, (50).
  const Values keys(5, 0.0F);
  const Values values = {10.0F, 20.0F, 30.0F, 40.0F, 50.0F};
  Attending in{{1, 1, 1}, {1.0F}, {3}, {5, 1, 1}};
  CHECK(attend(in, keys, values) == Values{25.0F});
  in.window = 2;
  CHECK(attend(in, keys, values) == Values{35.0F});
  in.window = 1;
  CHECK(attend(in, keys, values) == Values{40.0F});
  in.window = 4;
  CHECK(attend(in, keys, values) == Values{25.0F});
}

TEST_CASE("query heads share key heads in order") {
  // Four query heads, two key heads; the values tell which was read.
  const Attending in{{1, 4, 1}, {1.0F, 1.0F, 1.0F, 1.0F}, {0}, {1, 2, 1}};
  CHECK(attend(in, {0.0F, 0.0F}, {1.0F, 2.0F}) == Values{1.0F, 1.0F, 2.0F, 2.0F});
}

TEST_CASE("scores are scaled, then capped") {
  // Scores 0 and ln 3: weights 1/4 and 3/4.
  Attending in{{1, 1, 1}, {2.0F}, {1}, {2, 1, 1}, 0.5};
  const Values keys = {0.0F, static_cast<float>(std::log(3.0))};
  CHECK(std::fabs(attend(in, keys, {0.0F, 4.0F})[0] - 3.0F) < 1e-6F);
  // A cap of 1 makes a score of 1e6 one: weights 1 and e.
  in.softcap = 1.0;
  const double expected = 4.0 * std::exp(1.0) / (1.0 + std::exp(1.0));
  CHECK(std::fabs(attend(in, {0.0F, 1e6F}, {0.0F, 4.0F})[0] - expected) < 1e-6);
}

TEST_CASE("huge scores neither overflow nor hide a NaN") {
  const Attending in{{1, 1, 1}, {1e30F}, {1}, {2, 1, 1}};
  CHECK(attend(in, {1.0F, 2.0F}, {3.0F, 5.0F}) == Values{5.0F});
  CHECK(std::isnan(attend(in, {1.0F, std::nanf("")}, {3.0F, 5.0F})[0]));
}

TEST_CASE("rope rotates the pairs of its style and passes the rest through") {
  const Values x = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
  const auto cosine = static_cast<float>(std::cos(1.0));
  const auto sine = static_cast<float>(std::sin(1.0));
  // With base 1 every angle is the position.
  const Values neox = rotated(x, 1, Word::kNeox, 4, 1.0);
  CHECK(std::fabs(neox[0] - (1.0F * cosine - 3.0F * sine)) < 1e-6F);
  CHECK(std::fabs(neox[2] - (1.0F * sine + 3.0F * cosine)) < 1e-6F);
  const Values interleaved = rotated(x, 1, Word::kInterleaved, 4, 1.0);
  CHECK(std::fabs(interleaved[0] - (1.0F * cosine - 2.0F * sine)) < 1e-6F);
  CHECK(std::fabs(interleaved[1] - (1.0F * sine + 2.0F * cosine)) < 1e-6F);
  for (const Values& y : {neox, interleaved}) {
    CHECK(y[4] == 5.0F);
    CHECK(y[5] == 6.0F);
  }
  CHECK(rotated(x, 0, Word::kNeox, 6, 1e7) == x);
}

TEST_CASE("rope frequencies fall from 1 by the power law of n_rot") {
  // A one in the first half of each pair comes out as the cosine of the pair's angle.
  const Values y = rotated({1.0F, 1.0F, 0.0F, 0.0F, 7.0F, 7.0F}, 3, Word::kNeox, 4, 100.0);
  CHECK(std::fabs(y[0] - std::cos(3.0)) < 1e-6);
  CHECK(std::fabs(y[1] - std::cos(0.3)) < 1e-6);
}

TEST_CASE("linear scaling divides the position, factors the frequency") {
  const auto with = [](Word scaling, double factor, const Values& factors) {
    Call call(Op::kRope);
    call.input(Role::kX, {1, 1, 2}, Values{1.0F, 0.0F}).integers(Role::kPos, std::vector<int32_t>{8});
    if (!factors.empty()) call.vector(Role::kFactors, {1}, factors);
    call.output(Role::kY, {1, 1, 2}).word(Attr::kStyle, Word::kNeox).word(Attr::kScaling, scaling);
    call.integer(Attr::kNRot, 2)
        .real(Attr::kBase, 1e4)
        .real(Attr::kScalingFactor, factor)
        .run(reference_rows());
    return call.floats(Role::kY)[0];
  };
  CHECK(std::fabs(with(Word::kNone, 4.0, {}) - std::cos(8.0)) < 1e-6);
  CHECK(std::fabs(with(Word::kLinear, 4.0, {}) - std::cos(2.0)) < 1e-6);
  CHECK(std::fabs(with(Word::kNone, 1.0, {16.0F}) - std::cos(0.5)) < 1e-6);
}

TEST_CASE("angles are exact at far positions") {
  const Values y = rotated({1.0F, 1.0F, 0.0F, 0.0F}, 131071, Word::kNeox, 4, 1e7);
  CHECK(std::fabs(y[0] - std::cos(131071.0)) < 1e-6);
  CHECK(std::fabs(y[1] - std::cos(131071.0 * std::pow(1e7, -0.5))) < 1e-6);
}
