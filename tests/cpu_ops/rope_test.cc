#include <catch2/generators/catch_generators.hpp>
#include <cmath>

#include "tests/cpu_ops/check.h"

namespace aprx::test {
namespace {

Call rope(Word style, int64_t width, int64_t n_rot, const std::vector<int32_t>& positions, double base) {
  const auto tokens = static_cast<int64_t>(positions.size());
  Call call(Op::kRope);
  call.input(Role::kX, {tokens, 3, width}, random_values(tokens * 3 * width, 1))
      .integers(Role::kPos, positions);
  call.output(Role::kY, {tokens, 3, width}).word(Attr::kStyle, style).integer(Attr::kNRot, n_rot);
  call.real(Attr::kBase, base);
  return call;
}

}  // namespace

TEST_CASE("rope meets the reference in both styles, over the whole head or a part") {
  const Word style = GENERATE(Word::kNeox, Word::kInterleaved);
  const auto [width, n_rot] =
      GENERATE(std::pair{2, 2}, std::pair{64, 64}, std::pair{256, 64}, std::pair{67, 22}, std::pair{48, 34});
  Call call = rope(style, width, n_rot, {0, 1, 7, 4095, 12345, 131071}, 1e7);
  call.word(Attr::kScaling, Word::kNone).real(Attr::kScalingFactor, 1.0);
  check_call(call, {Role::kY}, kNormal);
}

TEST_CASE("rope divides positions by a linear scaling factor and frequencies by their own factors") {
  Call scaled = rope(Word::kNeox, 32, 32, positions_from(1000, 70), 10000.0);
  scaled.word(Attr::kScaling, Word::kLinear).real(Attr::kScalingFactor, 8.0);
  check_call(scaled, {Role::kY}, kNormal);
  Call stretched = rope(Word::kInterleaved, 32, 24, positions_from(100, 5), 5e5);
  stretched.word(Attr::kScaling, Word::kNone).real(Attr::kScalingFactor, 8.0);
  stretched.vector(Role::kFactors, {12}, Values{1, 1, 1, 1.5F, 2, 3, 4, 8, 8, 8, 8, 8});
  check_call(stretched, {Role::kY}, kNormal);
}

TEST_CASE("the angle is right to 1e-3 at position 2^17") {
  constexpr int32_t kPosition = 131072;
  Call call(Op::kRope);
  call.input(Role::kX, {1, 1, 2}, Values{1.0F, 0.0F}).integers(Role::kPos, std::vector<int32_t>{kPosition});
  call.output(Role::kY, {1, 1, 2})
      .word(Attr::kStyle, Word::kNeox)
      .integer(Attr::kNRot, 2)
      .real(Attr::kBase, 1e4);
  call.word(Attr::kScaling, Word::kNone).real(Attr::kScalingFactor, 1.0);
  on_every_target([&] {
    const Values y = after(call, op_rows()).floats(Role::kY);
    const double angle = std::remainder(static_cast<double>(kPosition), 2 * M_PI);
    CHECK(std::fabs(std::remainder(std::atan2(y[1], y[0]) - angle, 2 * M_PI)) < 1e-3);
  });
}

TEST_CASE("rope reads strided heads") {
  Call call(Op::kRope);
  call.view(Role::kX, {5, 2, 24}, {150, 60, 1}, random_values(800, 2));
  call.integers(Role::kPos, positions_from(3, 5)).output(Role::kY, {5, 2, 24});
  call.word(Attr::kStyle, Word::kNeox).integer(Attr::kNRot, 12).real(Attr::kBase, 1e4);
  check_call(call.word(Attr::kScaling, Word::kNone).real(Attr::kScalingFactor, 1.0), {Role::kY}, kNormal);
}

}  // namespace aprx::test
