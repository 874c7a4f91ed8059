// The operators against vectors that were computed elsewhere in F64, on every target.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "tests/cpu_ops/check.h"
#include "tests/support/npy.h"
#include "tests/support/shared.h"

namespace aprx::test {
namespace {

using Arrays = std::map<std::string, Array>;

float scalar(const Array& array) {
  return array.dtype == "<i4" ? static_cast<float>(array.as<int32_t>()[0]) : array.as<float>()[0];
}

// Values of `a` with the last two axes exchanged: the vectors store states the other way round.
Values transposed(const Array& array) {
  const size_t rows = static_cast<size_t>(array.shape[array.shape.size() - 2]);
  const size_t columns = static_cast<size_t>(array.shape.back());
  const Values values = array.as<float>();
  Values out(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t plane = i / (rows * columns) * rows * columns;
    out[plane + i % columns * rows + i / columns % rows] = values[i];
  }
  return out;
}

// Calls check(arrays) for each file whose name starts with `prefix`; there must be `count` of them.
template <typename Check>
void for_each_file(const std::filesystem::path& shared, const std::string& prefix, int count,
                   const Check& check) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared / "oracle/ops")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".npz" || !name.starts_with(prefix)) continue;
    ++found;
    INFO(name);
    check(read_npz(entry.path()));
  }
  CHECK(found == count);
}

// Runs `call` on every target and compares the operand `role`.
void check_vector(const Call& call, Role role, const Values& expected, double tolerance = kNormal) {
  on_every_target([&] {
    INFO("role " << role_name(role));
    CHECK(normalized_error(after(call, op_rows()).floats(role), expected) <= tolerance);
  });
}

Call norm_call(Op op, const Arrays& a) {
  Call call(op);
  call.input(Role::kX, a.at("x").shape, a.at("x").as<float>()).output(Role::kY, a.at("x").shape);
  return call.real(Attr::kEps, scalar(a.at("eps")));
}

Call conv_call(const Arrays& a, Word act) {
  const auto& w = a.at("w");
  Call call(Op::kCausalConv1d);
  call.input(Role::kX, a.at("x").shape, a.at("x").as<float>()).vector(Role::kConv, w.shape, w.as<float>());
  if (a.contains("bias")) call.vector(Role::kBias, {w.shape[0]}, a.at("bias").as<float>());
  call.state(Role::kConvState, {w.shape[0], w.shape[1] - 1}, transposed(a.at("state")));
  return call.output(Role::kY, a.at("x").shape).word(Attr::kAct, act);
}

Call delta_call(const Arrays& a, Word head_map) {
  const auto& q = a.at("q");
  const auto& v = a.at("v");
  const auto& state = a.at("state").shape;
  Call call(Op::kGatedDeltaRule);
  call.input(Role::kQ, q.shape, q.as<float>()).input(Role::kK, q.shape, a.at("k").as<float>());
  call.input(Role::kV, v.shape, v.as<float>()).input(Role::kG, a.at("g").shape, a.at("g").as<float>());
  call.input(Role::kBeta, a.at("beta").shape, a.at("beta").as<float>());
  call.state(Role::kDeltaState, {state[0], state[2], state[1]}, transposed(a.at("state")))
      .output(Role::kY, v.shape);
  return call.real(Attr::kScale, 1.0 / std::sqrt(static_cast<double>(state[1])))
      .word(Attr::kHeadMap, head_map);
}

Call rope_call(const Arrays& a, Word style) {
  const auto& x = a.at("x");
  Call call(Op::kRope);
  call.input(Role::kX, x.shape, x.as<float>()).integers(Role::kPos, a.at("pos").as<int32_t>());
  call.output(Role::kY, x.shape).word(Attr::kStyle, style).word(Attr::kScaling, Word::kNone);
  call.integer(Attr::kNRot, static_cast<int64_t>(scalar(a.at("n_rot"))))
      .real(Attr::kBase, scalar(a.at("base")));
  return call.real(Attr::kScalingFactor, 1.0);
}

Call attention_call(const Arrays& a) {
  const auto& q = a.at("q");
  const auto& k = a.at("k");
  Call call(Op::kAttention);
  call.input(Role::kQ, q.shape, q.as<float>()).output(Role::kY, q.shape);
  call.integers(Role::kPos, positions_from(a.at("prefix").as<int32_t>()[0], q.shape[0]));
  call.state(Role::kKCache, k.shape, k.as<float>()).state(Role::kVCache, k.shape, a.at("v").as<float>());
  call.real(Attr::kScale, 1.0 / std::sqrt(static_cast<double>(q.shape[2])));
  return call.real(Attr::kSoftcap, 0.0).integer(Attr::kWindow, 0);
}

}  // namespace

TEST_CASE("causal_conv1d meets its vectors on every target") {
  APRX_REQUIRE_SHARED(shared);
  for_each_file(shared, "conv1d_", 12, [](const Arrays& a) {
    check_vector(conv_call(a, Word::kNone), Role::kY, a.at("y").as<float>());
    check_vector(conv_call(a, Word::kSilu), Role::kY, a.at("y_silu").as<float>());
    check_vector(conv_call(a, Word::kSilu), Role::kConvState, transposed(a.at("new_state")), 0.0);
  });
}

TEST_CASE("gated_delta_rule meets its vectors on every target") {
  APRX_REQUIRE_SHARED(shared);
  for_each_file(shared, "delta_", 13, [](const Arrays& a) {
    check_vector(delta_call(a, Word::kTiled), Role::kY, a.at("out").as<float>());
    check_vector(delta_call(a, Word::kTiled), Role::kDeltaState, transposed(a.at("new_state")));
    if (!a.contains("out_grouped")) return;
    check_vector(delta_call(a, Word::kBlocked), Role::kY, a.at("out_grouped").as<float>());
    check_vector(delta_call(a, Word::kBlocked), Role::kDeltaState, transposed(a.at("new_state_grouped")));
  });
}

TEST_CASE("delta_gate meets its vectors on every target") {
  APRX_REQUIRE_SHARED(shared);
  for_each_file(shared, "gdn_gate", 1, [](const Arrays& a) {
    const auto& shape = a.at("alpha").shape;
    Call call(Op::kDeltaGate);
    call.input(Role::kA, shape, a.at("alpha").as<float>()).input(Role::kB, shape, a.at("b").as<float>());
    call.vector(Role::kDtBias, {shape[1]}, a.at("dt_bias").as<float>());
    call.vector(Role::kNegA, {shape[1]}, a.at("A").as<float>());
    call.output(Role::kG, shape).output(Role::kBeta, shape);
    check_vector(call, Role::kG, a.at("g").as<float>());
    check_vector(call, Role::kBeta, a.at("beta").as<float>());
  });
}

TEST_CASE("norms meet their vectors on every target") {
  APRX_REQUIRE_SHARED(shared);
  for_each_file(shared, "l2norm_", 2, [](const Arrays& a) {
    check_vector(norm_call(Op::kL2Norm, a), Role::kY, a.at("y_hf").as<float>());
  });
  for_each_file(shared, "rmsnorm_", 2, [](const Arrays& a) {
    const auto& w = a.at("w");
    Call rms = norm_call(Op::kRmsNorm, a);
    check_vector(rms.vector(Role::kW, w.shape, w.as<float>()), Role::kY, a.at("y").as<float>());
    Call gated = norm_call(Op::kGatedRmsNorm, a);
    gated.vector(Role::kW, w.shape, w.as<float>()).input(Role::kZ, a.at("z").shape, a.at("z").as<float>());
    gated.word(Attr::kOrder, Word::kNormFirst).word(Attr::kAct, Word::kSilu);
    check_vector(gated, Role::kY, a.at("y_gated").as<float>());
  });
}

TEST_CASE("rope meets its vectors on every target") {
  APRX_REQUIRE_SHARED(shared);
  for_each_file(shared, "rope_", 4, [](const Arrays& a) {
    check_vector(rope_call(a, Word::kNeox), Role::kY, a.at("y_neox").as<float>());
    check_vector(rope_call(a, Word::kInterleaved), Role::kY, a.at("y_norm").as<float>());
  });
}

TEST_CASE("attention meets its vectors on every target") {
  APRX_REQUIRE_SHARED(shared);
  for_each_file(shared, "attn_", 5,
                [](const Arrays& a) { check_vector(attention_call(a), Role::kY, a.at("out").as<float>()); });
}

TEST_CASE("glu meets its vectors on every target") {
  APRX_REQUIRE_SHARED(shared);
  for_each_file(shared, "swiglu", 1, [](const Arrays& a) {
    const auto& shape = a.at("gate").shape;
    Call call(Op::kGlu);
    call.input(Role::kGate, shape, a.at("gate").as<float>()).input(Role::kUp, shape, a.at("up").as<float>());
    check_vector(call.output(Role::kY, shape).word(Attr::kAct, Word::kSilu), Role::kY, a.at("y").as<float>());
  });
}

}  // namespace aprx::test
