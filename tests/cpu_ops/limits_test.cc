// What the rows refuse, with the facts that the planner passes on.
#include <string>

#include "tests/cpu_ops/check.h"

namespace aprx::test {
namespace {

void check_refused(const Call& call, aprx_reason reason, Role role, const std::string& detail) {
  const aprx_verdict verdict = call.probe(op_rows());
  CHECK(verdict.reason == static_cast<uint32_t>(reason));
  CHECK(verdict.role == static_cast<uint32_t>(role));
  CHECK(std::string(verdict.detail) == detail);
}

Call rope(int64_t n_rot, Word style) {
  Call call(Op::kRope);
  call.input(Role::kX, {1, 1, 8}, Values(8)).integers(Role::kPos, std::vector<int32_t>{0});
  call.output(Role::kY, {1, 1, 8}).integer(Attr::kNRot, n_rot).word(Attr::kStyle, style);
  return call.word(Attr::kScaling, Word::kNone).real(Attr::kScalingFactor, 1).real(Attr::kBase, 1e4);
}

Call attention(DType k, DType v, int64_t width) {
  Call call(Op::kAttention);
  call.input(Role::kQ, {1, 2, width}, Values(static_cast<size_t>(2 * width)));
  call.integers(Role::kPos, std::vector<int32_t>{0}).output(Role::kY, {1, 2, width});
  const auto bytes = [&](DType dtype) {
    return std::vector<std::byte>(static_cast<size_t>(2 * row_bytes(dtype, width)));
  };
  call.state(Role::kKCache, k, {2, 1, width}, bytes(k)).state(Role::kVCache, v, {2, 1, width}, bytes(v));
  return call.real(Attr::kScale, 1).real(Attr::kSoftcap, 0).integer(Attr::kWindow, 0);
}

}  // namespace

TEST_CASE("attributes that no kernel knows are refused by name and value") {
  Call unary(Op::kUnary);
  unary.input(Role::kX, {1, 4}, Values(4)).output(Role::kY, {1, 4}).word(Attr::kAct, Word::kNeox);
  check_refused(unary, APRX_ATTRIBUTE_UNSUPPORTED, Role::kNone, "act=neox");
  check_refused(rope(8, Word::kTiled), APRX_ATTRIBUTE_UNSUPPORTED, Role::kNone, "style=tiled");
  Call conv(Op::kCausalConv1d);
  conv.input(Role::kX, {1, 2}, Values(2)).vector(Role::kConv, {2, 3}, Values(6)).output(Role::kY, {1, 2});
  conv.state(Role::kConvState, {2, 2}, Values(4)).word(Attr::kAct, Word::kGeluErf);
  check_refused(conv, APRX_ATTRIBUTE_UNSUPPORTED, Role::kNone, "act=gelu_erf");
}

TEST_CASE("shapes that don't fit are refused with the numbers") {
  check_refused(rope(7, Word::kNeox), APRX_SHAPE_UNSUPPORTED, Role::kX, "n_rot=7 for a head width of 8");
  check_refused(rope(10, Word::kNeox), APRX_SHAPE_UNSUPPORTED, Role::kX, "n_rot=10 for a head width of 8");
  Call delta(Op::kGatedDeltaRule);
  delta.input(Role::kQ, {1, 2, 4}, Values(8)).input(Role::kK, {1, 2, 4}, Values(8));
  delta.input(Role::kV, {1, 3, 4}, Values(12))
      .input(Role::kG, {1, 3}, Values(3))
      .input(Role::kBeta, {1, 3}, Values(3));
  delta.state(Role::kDeltaState, {3, 4, 4}, Values(48)).output(Role::kY, {1, 3, 4});
  delta.real(Attr::kScale, 1).word(Attr::kHeadMap, Word::kTiled);
  check_refused(delta, APRX_SHAPE_UNSUPPORTED, Role::kV, "3 value heads for 2 key heads");
}

TEST_CASE("caches are taken in four dtypes, keys and values each in their own") {
  CHECK(attention(DType::kF16, DType::kQ8_0, 32).probe(op_rows()).reason == APRX_SUPPORTED);
  check_refused(attention(DType::kF32, DType::kI8, 32), APRX_DTYPE_UNSUPPORTED, Role::kVCache,
                "a cache of dtype I8");
  const aprx_verdict verdict = attention(DType::kI8, DType::kF32, 32).probe(op_rows());
  CHECK(verdict.reason == APRX_DTYPE_UNSUPPORTED);
  CHECK(verdict.stage == APRX_STAGE_DTYPE);
  CHECK(verdict.role == static_cast<uint32_t>(Role::kKCache));
}

TEST_CASE("every row has a name, and every operator of this folder a row") {
  for (const KernelRow& row : op_rows()) {
    INFO(op_name(row.op));
    CHECK(std::string(row.name) == op_name(row.op));
    CHECK(row.run != nullptr);
  }
  for (const Op op : {Op::kAdd, Op::kMul, Op::kScale, Op::kUnary, Op::kSoftcap, Op::kGlu, Op::kRmsNorm,
                      Op::kL2Norm, Op::kGatedRmsNorm, Op::kRope, Op::kKvStore, Op::kAttention,
                      Op::kCausalConv1d, Op::kDeltaGate, Op::kGatedDeltaRule, Op::kTakeRows}) {
    CHECK(std::ranges::any_of(op_rows(), [&](const KernelRow& row) { return row.op == op; }));
  }
}

}  // namespace aprx::test
