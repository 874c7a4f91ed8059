#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>

#include "tests/cpu_ops/check.h"

namespace aprx::test {
namespace {

constexpr Word kActs[] = {Word::kSilu,     Word::kGeluTanh, Word::kGeluErf, Word::kSigmoid,
                          Word::kSoftplus, Word::kRelu2,    Word::kTanh,    Word::kNegExp};

// Absolute error that is always allowed. The reference's gelu cancels in F64 far left of zero; e^89
// overflows, so sigmoid and silu end a little before the least normal number.
double floor_of(Word act) {
  if (act == Word::kGeluTanh || act == Word::kGeluErf) return 1e-15;
  return act == Word::kSigmoid || act == Word::kSilu ? 1e-36 : 1.2e-38;
}

Call unary(Word act, const Values& x) {
  const auto n = static_cast<int64_t>(x.size());
  Call call(Op::kUnary);
  call.input(Role::kX, {1, n}, x).output(Role::kY, {1, n}).word(Attr::kAct, act);
  return call;
}

}  // namespace

TEST_CASE("add and mul meet the reference at odd sizes, and where the work is shared out") {
  const Op op = GENERATE(Op::kAdd, Op::kMul);
  const auto [rows, width] =
      GENERATE(std::pair{1, 1}, std::pair{3, 7}, std::pair{5, 67}, std::pair{3, 20011});
  Call call(op);
  call.input(Role::kA, {rows, width}, random_values(rows * width, 1));
  call.input(Role::kB, {rows, width}, random_values(rows * width, 2)).output(Role::kY, {rows, width});
  check_call(call, {Role::kY}, kTight);
}

TEST_CASE("add and mul repeat an operand that has only the trailing axes") {
  const Op op = GENERATE(Op::kAdd, Op::kMul);
  Call vector(op);
  vector.input(Role::kA, {6, 37}, random_values(6 * 37, 1)).input(Role::kB, {37}, random_values(37, 2));
  check_call(vector.output(Role::kY, {6, 37}), {Role::kY}, kTight);
  Call matrix(op);
  matrix.input(Role::kA, {5, 3, 19}, random_values(5 * 57, 1)).input(Role::kB, {3, 19}, random_values(57, 2));
  check_call(matrix.output(Role::kY, {5, 3, 19}), {Role::kY}, kTight);
}

TEST_CASE("element-wise operators read strided views") {
  const Values buffer = random_values(4000, 3);
  Call query(Op::kMul);  // the query half of heads that hold query and gate
  query.view(Role::kA, {7, 3, 21}, {150, 42, 1}, buffer);
  query.view(Role::kB, {7, 3, 21}, {150, 42, 1}, std::span(buffer).subspan(21));
  check_call(query.output(Role::kY, {7, 3, 21}), {Role::kY}, kTight);

  Call gated(Op::kGlu);
  gated.view(Role::kGate, {9, 33}, {66, 1}, buffer)
      .view(Role::kUp, {9, 33}, {66, 1}, std::span(buffer).subspan(33));
  check_call(gated.output(Role::kY, {9, 33}).word(Attr::kAct, Word::kSilu), {Role::kY}, kTight);

  Call scaled(Op::kScale);
  scaled.view(Role::kX, {1, 3, 21}, {150, 42, 1}, buffer)
      .output(Role::kY, {1, 3, 21})
      .real(Attr::kFactor, 0.3);
  check_call(scaled, {Role::kY}, kTight);
}

TEST_CASE("activation functions and softcap meet the reference") {
  const float spread = GENERATE(1e-3F, 1.0F, 20.0F);
  const Values x = random_values(1003, 4, spread);
  for (const Word act : kActs) {
    INFO(word_name(act) << " at spread " << spread);
    check_call(unary(act, x), {Role::kY}, kTight);
  }
  Call capped(Op::kSoftcap);
  capped.input(Role::kX, {17, 59}, x).output(Role::kY, {17, 59}).real(Attr::kFactor, 30.0);
  check_call(capped, {Role::kY}, kTight);
}

TEST_CASE("each value of an activation function is right to a few units in the last place") {
  Values x;
  for (int i = -4200; i <= 4200; ++i) x.push_back(static_cast<float>(i) * 0.0251F);
  for (const float tiny : {1e-30F, 1e-10F, 1e-5F, 1e-3F, 0.62499F, 0.62501F}) {
    x.push_back(tiny);
    x.push_back(-tiny);
  }
  for (const Word act : kActs) {
    const Values expected = after(unary(act, x), reference_rows()).floats(Role::kY);
    on_every_target([&] {
      const Values actual = after(unary(act, x), op_rows()).floats(Role::kY);
      double worst = 0;
      float worst_x = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        if (std::isinf(expected[i]) && actual[i] == expected[i]) continue;
        const double error = std::fabs(static_cast<double>(actual[i]) - expected[i]);
        // e^(-a²) and e^(-u) of large arguments inherit the rounding of the argument.
        const double relative = 1e-6 * std::fmax(1.0, std::fabs(x[i]) * std::fabs(x[i]) / 8);
        const double share = error / (relative * std::fabs(expected[i]) + floor_of(act));
        if (share > worst) {
          worst = share;
          worst_x = x[i];
        }
      }
      INFO(word_name(act) << " at " << worst_x);
      CHECK(worst <= 1.0);
    });
  }
}

TEST_CASE("not-a-number stays where it is, infinities go to their limits") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Values x = {1.0F, std::nanf(""), 2.0F, kInfinity, -1.0F};
  for (const Word act : kActs) {
    const Values expected = after(unary(act, x), reference_rows()).floats(Role::kY);
    on_every_target([&] {
      INFO(word_name(act));
      const Values y = after(unary(act, x), op_rows()).floats(Role::kY);
      CHECK(std::isnan(y[1]));
      CHECK(y[3] == expected[3]);
      CHECK((std::isfinite(y[0]) && std::isfinite(y[2]) && std::isfinite(y[4])));
    });
  }
  on_every_target([&] {
    CHECK(after(unary(Word::kSoftplus, {-kInfinity}), op_rows()).floats(Role::kY)[0] == 0.0F);
    CHECK(after(unary(Word::kTanh, {-kInfinity}), op_rows()).floats(Role::kY)[0] == -1.0F);
    CHECK(after(unary(Word::kSigmoid, {-1000.0F}), op_rows()).floats(Role::kY)[0] < 1e-38F);
    CHECK(after(unary(Word::kNegExp, {200.0F}), op_rows()).floats(Role::kY)[0] == -kInfinity);
  });
}

TEST_CASE("glu meets the reference for each activation") {
  const Word act = GENERATE(Word::kSilu, Word::kGeluTanh, Word::kGeluErf);
  const auto [rows, width] = GENERATE(std::pair{1, 3584}, std::pair{7, 61}, std::pair{40, 700});
  Call call(Op::kGlu);
  call.input(Role::kGate, {rows, width}, random_values(rows * width, 5));
  call.input(Role::kUp, {rows, width}, random_values(rows * width, 6)).output(Role::kY, {rows, width});
  check_call(call.word(Attr::kAct, act), {Role::kY}, kTight);
}

TEST_CASE("take_rows copies rows, with repeats and out of order") {
  Call call(Op::kTakeRows);
  call.view(Role::kX, {6, 13}, {20, 1}, random_values(120, 7))
      .integers(Role::kIds, std::vector<int32_t>{5, 0, 5});
  check_call(call.output(Role::kY, {3, 13}), {Role::kY}, 0.0);
}

TEST_CASE("no tokens are no work") {
  Call add(Op::kAdd);
  add.input(Role::kA, {0, 8}, {}).input(Role::kB, {0, 8}, {}).output(Role::kY, {0, 8});
  Call taken(Op::kTakeRows);
  taken.input(Role::kX, {0, 8}, {}).integers(Role::kIds, {}).output(Role::kY, {0, 8});
  Call norm(Op::kRmsNorm);
  norm.input(Role::kX, {0, 8}, {}).output(Role::kY, {0, 8}).real(Attr::kEps, 1e-6);
  on_every_target([&] {
    CHECK_NOTHROW(after(add, op_rows()));
    CHECK_NOTHROW(after(taken, op_rows()));
    CHECK_NOTHROW(after(norm, op_rows()));
  });
}

}  // namespace aprx::test
