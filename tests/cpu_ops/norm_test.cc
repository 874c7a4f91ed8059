#include <catch2/generators/catch_generators.hpp>

#include "tests/cpu_ops/check.h"

namespace aprx::test {

TEST_CASE("rms_norm meets the reference with and without a weight") {
  const auto [rows, width] =
      GENERATE(std::pair{1, 1}, std::pair{3, 7}, std::pair{2, 1024}, std::pair{65, 257});
  const float spread = GENERATE(1e-4F, 1.0F, 1e4F);
  Call call(Op::kRmsNorm);
  call.input(Role::kX, {rows, width}, random_values(rows * width, 1, spread)).output(Role::kY, {rows, width});
  call.real(Attr::kEps, 1e-6);
  check_call(call, {Role::kY}, kTight);
  check_call(call.vector(Role::kW, {width}, random_values(width, 2)), {Role::kY}, kTight);
}

TEST_CASE("norms work on each head of a strided view") {
  const Values buffer = random_values(5000, 3);
  const int64_t width = GENERATE(1, 19, 64);
  Call rms(Op::kRmsNorm);
  rms.view(Role::kX, {9, 4, width}, {530, 130, 1}, buffer).vector(Role::kW, {width}, random_values(width, 2));
  check_call(rms.output(Role::kY, {9, 4, width}).real(Attr::kEps, 1e-5), {Role::kY}, kTight);
  Call l2(Op::kL2Norm);
  l2.view(Role::kX, {9, 4, width}, {530, 130, 1}, buffer).output(Role::kY, {9, 4, width});
  check_call(l2.real(Attr::kEps, 1e-6), {Role::kY}, kTight);
}

TEST_CASE("gated_rms_norm meets the reference in both orders, with both gates") {
  const Word order = GENERATE(Word::kNormFirst, Word::kGateFirst);
  const Word act = GENERATE(Word::kSilu, Word::kSigmoid);
  const int64_t width = GENERATE(5, 128, 131);
  Call call(Op::kGatedRmsNorm);
  call.input(Role::kX, {6, 5, width}, random_values(30 * width, 1));
  call.view(Role::kZ, {6, 5, width}, {6 * width, width, 1}, random_values(36 * width, 2));
  call.vector(Role::kW, {width}, random_values(width, 3)).output(Role::kY, {6, 5, width});
  call.real(Attr::kEps, 1e-6).word(Attr::kOrder, order).word(Attr::kAct, act);
  check_call(call, {Role::kY}, kTight);
}

TEST_CASE("rows are written through the strides of y, and y may be x") {
  const Values x = random_values(3 * 2 * 11, 4);
  Values y(200, -7.0F);
  const TensorView in{DType::kF32, APRX_ACTIVATION,
                      3,           {3, 2, 11},
                      {22, 11, 1}, reinterpret_cast<std::byte*>(const_cast<float*>(x.data()))};
  TensorView out = in;
  out.stride[0] = 60;
  out.stride[1] = 25;
  out.data = reinterpret_cast<std::byte*>(y.data());
  const aprx_attribute eps{static_cast<uint32_t>(Attr::kEps), APRX_ATTR_REAL, {.real = 1e-6}};
  const KernelOperand operands[] = {{Role::kX, false, in}, {Role::kY, true, out}};
  Call expected(Op::kRmsNorm);
  expected.input(Role::kX, {3, 2, 11}, x).output(Role::kY, {3, 2, 11}).real(Attr::kEps, 1e-6);
  const Values wanted = after(expected, reference_rows()).floats(Role::kY);
  on_every_target([&] {
    cpu::rms_norm({operands, {&eps, 1}, {}, {}});
    Values seen;
    for (size_t row = 0; row < 6; ++row) {
      const auto from = y.begin() + static_cast<std::ptrdiff_t>(row / 2 * 60 + row % 2 * 25);
      seen.insert(seen.end(), from, from + 11);
      CHECK(from[11] == -7.0F);
    }
    CHECK(normalized_error(seen, wanted) <= kTight);
    Values both = x;
    TensorView same = in;
    same.data = reinterpret_cast<std::byte*>(both.data());
    const KernelOperand in_place[] = {{Role::kX, false, same}, {Role::kY, true, same}};
    cpu::rms_norm({in_place, {&eps, 1}, {}, {}});
    CHECK(both == seen);
  });
}

}  // namespace aprx::test
