// Operators without a state, by hand.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>
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

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::byte> bytes_of(const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

float unary_of(Word act, float x) {
  Call call(Op::kUnary);
  call.input(Role::kX, {1, 1}, Values{x})
      .output(Role::kY, {1, 1})
      .word(Attr::kAct, act)
      .run(reference_rows());
  return call.floats(Role::kY)[0];
}

void check_close(float actual, double expected) {
  INFO(actual << " for " << expected);
  CHECK(std::fabs(actual - expected) <= 1e-6 * std::fabs(expected));
}

}  // namespace

TEST_CASE("activations at known points") {
  check_close(unary_of(Word::kSilu, 1.0F), 0.73105857863);
  check_close(unary_of(Word::kSilu, -3.0F), -0.14227761953);
  check_close(unary_of(Word::kSigmoid, -2.0F), 0.11920292202);
  check_close(unary_of(Word::kGeluErf, 1.0F), 0.84134474607);
  check_close(unary_of(Word::kGeluTanh, 1.0F), 0.84119199060);
  check_close(unary_of(Word::kSoftplus, 0.0F), 0.69314718056);
  check_close(unary_of(Word::kTanh, 0.5F), 0.46211715726);
  check_close(unary_of(Word::kNegExp, 1.0F), -2.71828182846);
  CHECK(unary_of(Word::kRelu2, 3.0F) == 9.0F);
  CHECK(unary_of(Word::kRelu2, -3.0F) == 0.0F);
}

TEST_CASE("activations at the ends of the range") {
  CHECK(unary_of(Word::kSilu, 1e30F) == 1e30F);
  CHECK(unary_of(Word::kSilu, -1e30F) == 0.0F);
  CHECK(unary_of(Word::kSoftplus, 200.0F) == 200.0F);  // not exp(200), which overflows
  CHECK(unary_of(Word::kSoftplus, -1000.0F) == 0.0F);
  CHECK(unary_of(Word::kSoftplus, kInfinity) == kInfinity);
  CHECK(unary_of(Word::kSigmoid, -kInfinity) == 0.0F);
  CHECK(unary_of(Word::kSigmoid, kInfinity) == 1.0F);
  for (const Word act : {Word::kSilu, Word::kGeluTanh, Word::kGeluErf, Word::kSigmoid, Word::kSoftplus,
                         Word::kRelu2, Word::kTanh, Word::kNegExp}) {
    INFO(aprx::word_name(act));
    CHECK(std::isnan(unary_of(act, std::nanf(""))));
  }
}

TEST_CASE("add and mul broadcast b over leading axes and read strided views") {
  const Op op = GENERATE(Op::kAdd, Op::kMul);
  const auto f = [op](float a, float b) { return op == Op::kAdd ? a + b : a * b; };
  // a is columns 1 and 2 of a buffer with four columns.
  const Values buffer = {9, 1, 2, 9, 9, 3, 4, 9, 9, 5, 6, 9};
  Call call(op);
  call.view(Role::kA, {3, 2}, {4, 1}, std::span(buffer).subspan(1))
      .vector(Role::kB, {2}, Values{10.0F, 20.0F});
  call.output(Role::kY, {3, 2}).run(reference_rows());
  CHECK(call.floats(Role::kY) == Values{f(1, 10), f(2, 20), f(3, 10), f(4, 20), f(5, 10), f(6, 20)});

  Call planes(op);
  planes.input(Role::kA, {2, 2, 2}, Values{1, 2, 3, 4, 5, 6, 7, 8});
  planes.input(Role::kB, {2, 2}, Values{1, 2, 3, 4}).output(Role::kY, {2, 2, 2}).run(reference_rows());
  CHECK(planes.floats(Role::kY) ==
        Values{f(1, 1), f(2, 2), f(3, 3), f(4, 4), f(5, 1), f(6, 2), f(7, 3), f(8, 4)});
}

TEST_CASE("scale, softcap and glu") {
  Call scaled(Op::kScale);
  scaled.input(Role::kX, {1, 3}, Values{1.0F, -2.0F, 0.5F}).output(Role::kY, {1, 3});
  scaled.real(Attr::kFactor, 12.0).run(reference_rows());
  CHECK(scaled.floats(Role::kY) == Values{12.0F, -24.0F, 6.0F});

  Call capped(Op::kSoftcap);
  capped.input(Role::kX, {1, 3}, Values{0.0F, 1e9F, 30.0F}).output(Role::kY, {1, 3});
  capped.real(Attr::kFactor, 30.0).run(reference_rows());
  CHECK(capped.floats(Role::kY)[0] == 0.0F);
  CHECK(capped.floats(Role::kY)[1] == 30.0F);
  check_close(capped.floats(Role::kY)[2], 30.0 * 0.76159415595);

  Call glu(Op::kGlu);
  glu.input(Role::kGate, {1, 2}, Values{1.0F, 0.0F}).input(Role::kUp, {1, 2}, Values{2.0F, 5.0F});
  glu.output(Role::kY, {1, 2}).word(Attr::kAct, Word::kGeluErf).run(reference_rows());
  check_close(glu.floats(Role::kY)[0], 2 * 0.84134474607);
  CHECK(glu.floats(Role::kY)[1] == 0.0F);
}

TEST_CASE("norms work on one head at a time and are finite at zero") {
  // Two heads of very different size: each has norm one afterwards, not both together.
  Call l2(Op::kL2Norm);
  l2.input(Role::kX, {1, 3, 2}, Values{3.0F, 4.0F, 300.0F, 400.0F, 0.0F, 0.0F}).output(Role::kY, {1, 3, 2});
  l2.real(Attr::kEps, 1e-6).run(reference_rows());
  const Values unit = l2.floats(Role::kY);
  check_close(unit[0], 0.6);
  check_close(unit[2], 0.6);
  check_close(unit[3], 0.8);
  CHECK(unit[4] == 0.0F);

  Call rms(Op::kRmsNorm);
  rms.input(Role::kX, {1, 2, 2}, Values{3.0F, 4.0F, 0.0F, 0.0F}).output(Role::kY, {1, 2, 2});
  rms.real(Attr::kEps, 1e-6).run(reference_rows());
  check_close(rms.floats(Role::kY)[0], 3.0 / std::sqrt(12.5 + 1e-6));
  CHECK(rms.floats(Role::kY)[2] == 0.0F);
}

TEST_CASE("l2_norm adds eps under the root") {
  Call tiny(Op::kL2Norm);
  tiny.input(Role::kX, {1, 1, 1}, Values{1e-3F}).output(Role::kY, {1, 1, 1}).real(Attr::kEps, 1e-6);
  tiny.run(reference_rows());
  check_close(tiny.floats(Role::kY)[0], std::sqrt(0.5));  // max(norm, eps) would give 1
}

TEST_CASE("gated_rms_norm in both orders") {
  const auto run = [](Word order) {
    Call call(Op::kGatedRmsNorm);
    call.input(Role::kX, {1, 1, 2}, Values{3.0F, 4.0F}).input(Role::kZ, {1, 1, 2}, Values{1.0F, -1.0F});
    call.vector(Role::kW, {2}, Values{2.0F, 3.0F}).output(Role::kY, {1, 1, 2}).real(Attr::kEps, 0.0);
    call.word(Attr::kOrder, order).word(Attr::kAct, Word::kSilu).run(reference_rows());
    return call.floats(Role::kY);
  };
  const double up = 0.73105857863;     // silu(1)
  const double down = -0.26894142137;  // silu(−1)
  const Values norm_first = run(Word::kNormFirst);
  check_close(norm_first[0], 3.0 / std::sqrt(12.5) * 2.0 * up);
  check_close(norm_first[1], 4.0 / std::sqrt(12.5) * 3.0 * down);
  const double mean = (9.0 * up * up + 16.0 * down * down) / 2.0;
  const Values gate_first = run(Word::kGateFirst);
  check_close(gate_first[0], 3.0 * up / std::sqrt(mean) * 2.0);
  check_close(gate_first[1], 4.0 * down / std::sqrt(mean) * 3.0);
}

TEST_CASE("delta_gate applies softplus and the decay's sign, and sigmoid once") {
  Call call(Op::kDeltaGate);
  call.input(Role::kA, {1, 3}, Values{0.0F, 1e30F, -1e30F})
      .input(Role::kB, {1, 3}, Values{0.0F, 2.0F, -1e30F});
  call.vector(Role::kDtBias, {3}, Values{1.0F, 0.0F, 0.0F})
      .vector(Role::kNegA, {3}, Values{-0.5F, -1.0F, -1.0F});
  call.output(Role::kG, {1, 3}).output(Role::kBeta, {1, 3}).run(reference_rows());
  const Values g = call.floats(Role::kG);
  check_close(g[0], -0.5 * 1.31326168752);  // softplus(1)
  CHECK(g[1] == -1e30F);
  CHECK(g[2] == 0.0F);
  const Values beta = call.floats(Role::kBeta);
  CHECK(beta[0] == 0.5F);
  check_close(beta[1], 0.88079707798);
  CHECK(beta[2] == 0.0F);
}

TEST_CASE("embed and take_rows copy rows, in any order and repeatedly") {
  const Values table = {0, 1, 10, 11, 20, 21};
  Call embedded(Op::kEmbed);
  embedded.integers(Role::kIds, std::vector<int32_t>{2, 0, 2}).output(Role::kY, {3, 2});
  embedded.weight(Role::kTable, DType::kF32, {3, 2}, bytes_of(table))
      .real(Attr::kScale, 2.0)
      .run(reference_rows());
  CHECK(embedded.floats(Role::kY) == Values{40, 42, 0, 2, 40, 42});

  Call taken(Op::kTakeRows);
  taken.input(Role::kX, {3, 2}, table)
      .integers(Role::kIds, std::vector<int32_t>{1, 1, 0})
      .output(Role::kY, {3, 2});
  taken.run(reference_rows());
  CHECK(taken.floats(Role::kY) == Values{10, 11, 10, 11, 0, 1});

  Call none(Op::kTakeRows);
  none.input(Role::kX, {3, 2}, table).integers(Role::kIds, {}).output(Role::kY, {0, 2}).run(reference_rows());
  CHECK(none.floats(Role::kY).empty());
}

TEST_CASE("linear multiplies by rows and adds the bias") {
  Call call(Op::kLinear);
  call.input(Role::kX, {2, 3}, Values{1, 2, 3, 4, 5, 6});
  call.weight(Role::kW, DType::kF32, {2, 3}, bytes_of({1, 0, 1, 0, 10, 0}))
      .vector(Role::kBias, {2}, Values{0.5F, -1});
  call.output(Role::kY, {2, 2}).run(reference_rows());
  CHECK(call.floats(Role::kY) == Values{4.5F, 19.0F, 10.5F, 49.0F});
}

TEST_CASE("linear sums in F64: large terms that cancel leave the small ones") {
  Call call(Op::kLinear);
  call.input(Role::kX, {1, 3}, Values{1e8F, 1.0F, -1e8F}).output(Role::kY, {1, 1});
  call.weight(Role::kW, DType::kF32, {1, 3}, bytes_of({1, 1, 1})).run(reference_rows());
  CHECK(call.floats(Role::kY) == Values{1.0F});
}

TEST_CASE("linear and embed on every dtype equal the decoded weights") {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> byte(0, 255);
  for (uint32_t number = 1; number < APRX_DTYPE_COUNT; ++number) {
    const auto dtype = static_cast<DType>(number);
    const auto decode = aprx::decoder(dtype);
    if (decode == nullptr) continue;
    INFO(aprx::dtype_name(dtype));
    const int64_t width = 256;
    // Random bytes can be NaN or infinite scales, whose products are no test of an order of bytes: take few
    // bits.
    std::vector<std::byte> bytes(static_cast<size_t>(3 * aprx::row_bytes(dtype, width)));
    for (std::byte& b : bytes) b = static_cast<std::byte>(byte(random) & 0x3B);
    Values decoded(3 * 256);
    decode(reinterpret_cast<const uint8_t*>(bytes.data()), 3 * width, decoded.data());
    Values x(2 * 256);
    for (float& value : x) value = static_cast<float>(byte(random) - 128) / 128.0F;

    Call packed(Op::kLinear);
    packed.input(Role::kX, {2, width}, x).weight(Role::kW, dtype, {3, width}, bytes).output(Role::kY, {2, 3});
    packed.run(reference_rows());
    Call plain(Op::kLinear);
    plain.input(Role::kX, {2, width}, x).weight(Role::kW, DType::kF32, {3, width}, bytes_of(decoded));
    plain.output(Role::kY, {2, 3}).run(reference_rows());
    CHECK(packed.floats(Role::kY) == plain.floats(Role::kY));

    Call rows(Op::kEmbed);
    rows.weight(Role::kTable, dtype, {3, width}, bytes).integers(Role::kIds, std::vector<int32_t>{0, 1, 2});
    rows.output(Role::kY, {3, width}).real(Attr::kScale, 1.0).run(reference_rows());
    CHECK(rows.floats(Role::kY) == decoded);
  }
}
