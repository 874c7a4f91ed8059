// What the reference's table claims and refuses.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "aprx/conformance/call.hpp"
#include "aprx/conformance/reference.hpp"
#include "aprx/dtype/decode.hpp"

namespace {

using aprx::Attr;
using aprx::DType;
using aprx::Op;
using aprx::Role;
using aprx::Word;
using aprx::conformance::Call;
using aprx::conformance::reference_rows;

std::vector<std::byte> weight_bytes(DType dtype, int64_t rows, int64_t width) {
  return std::vector<std::byte>(static_cast<size_t>(rows * aprx::row_bytes(dtype, width)));
}

Call linear_of(DType dtype, int64_t width) {
  Call call(Op::kLinear);
  call.input(Role::kX, {1, width}, std::vector<float>(static_cast<size_t>(width)));
  call.weight(Role::kW, dtype, {2, width}, weight_bytes(dtype, 2, width)).output(Role::kY, {1, 2});
  return call;
}

}  // namespace

TEST_CASE("every primitive has a reference, no composite has") {
  std::set<Op> ops;
  for (const aprx::KernelRow& row : reference_rows()) {
    CHECK(row.run != nullptr);
    ops.insert(row.op);
  }
  for (auto number = static_cast<uint32_t>(Op::kEmbed); number < static_cast<uint32_t>(Op::kCount);
       ++number) {
    const auto op = static_cast<Op>(number);
    INFO(aprx::op_name(op));
    CHECK(ops.contains(op) == (op <= Op::kTakeRows));
  }
}

TEST_CASE("linear takes every dtype that can be decoded and names the operand of others") {
  for (uint32_t number = 1; number < APRX_DTYPE_COUNT; ++number) {
    const auto dtype = static_cast<DType>(number);
    INFO(aprx::dtype_name(dtype));
    const aprx_verdict verdict = linear_of(dtype, 256).probe(reference_rows());
    if (aprx::decoder(dtype) != nullptr) {
      CHECK(verdict.reason == APRX_SUPPORTED);
    } else {
      CHECK(verdict.reason == APRX_DTYPE_UNSUPPORTED);
      CHECK(verdict.stage == APRX_STAGE_DTYPE);
      CHECK(verdict.role == static_cast<uint32_t>(Role::kW));
    }
  }
}

TEST_CASE("a row that isn't whole blocks is refused with its length") {
  const aprx_verdict verdict = linear_of(DType::kQ4_K, 300).probe(reference_rows());
  CHECK(verdict.reason == APRX_SHAPE_UNSUPPORTED);
  CHECK(verdict.role == static_cast<uint32_t>(Role::kW));
  CHECK(std::string(verdict.detail) == "row of 300 values is not a multiple of 256");
  CHECK(linear_of(DType::kF32, 1).probe(reference_rows()).reason == APRX_SUPPORTED);
}

TEST_CASE("unknown words of attributes are refused") {
  Call glu(Op::kGlu);
  glu.input(Role::kGate, {1, 1}, std::vector<float>{0}).input(Role::kUp, {1, 1}, std::vector<float>{0});
  glu.output(Role::kY, {1, 1}).word(Attr::kAct, Word::kTiled);
  const aprx_verdict verdict = glu.probe(reference_rows());
  CHECK(verdict.reason == APRX_ATTRIBUTE_UNSUPPORTED);
  CHECK(std::string(verdict.detail) == "act=tiled");
}

TEST_CASE("rope refuses to rotate more than a head") {
  Call call(Op::kRope);
  call.input(Role::kX, {1, 1, 4}, std::vector<float>(4)).integers(Role::kPos, std::vector<int32_t>{0});
  call.output(Role::kY, {1, 1, 4}).word(Attr::kStyle, Word::kNeox).word(Attr::kScaling, Word::kNone);
  call.integer(Attr::kNRot, 6).real(Attr::kBase, 1e4).real(Attr::kScalingFactor, 1);
  const aprx_verdict verdict = call.probe(reference_rows());
  CHECK(verdict.reason == APRX_SHAPE_UNSUPPORTED);
  CHECK(std::string(verdict.detail) == "n_rot=6 of a head of 4");
}
