// The scalar reference against vectors of single operators that were computed elsewhere in F64.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "aprx/conformance/call.hpp"
#include "aprx/conformance/reference.hpp"
#include "tests/support/npy.h"
#include "tests/support/shared.h"

namespace {

using aprx::Attr;
using aprx::Op;
using aprx::Role;
using aprx::Word;
using aprx::conformance::Call;
using aprx::conformance::normalized_error;
using aprx::conformance::reference_rows;
using aprx::test::Array;
using Arrays = std::map<std::string, Array>;

constexpr double kTolerance = 1e-5;

// The names of the vector files that start with `prefix`, sorted.
std::vector<std::string> names_of(const std::filesystem::path& folder, const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".npz" && name.starts_with(prefix)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

float scalar(const Array& array) {
  return array.dtype == "<i4" ? static_cast<float>(array.as<int32_t>()[0]) : array.as<float>()[0];
}

// [planes, rows, columns] → [planes, columns, rows]
std::vector<float> transposed(const std::vector<float>& values, int64_t planes, int64_t rows,
                              int64_t columns) {
  std::vector<float> out(values.size());
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        out[static_cast<size_t>((p * columns + c) * rows + r)] =
            values[static_cast<size_t>((p * rows + r) * columns + c)];
      }
    }
  }
  return out;
}

Call conv_call(const Arrays& a, Word act) {
  const auto& x = a.at("x");
  const auto& w = a.at("w");
  const int64_t channels = w.shape[0];
  const int64_t history = w.shape[1] - 1;
  Call call(Op::kCausalConv1d);
  call.input(Role::kX, x.shape, x.as<float>()).vector(Role::kConv, w.shape, w.as<float>());
  if (a.contains("bias")) call.vector(Role::kBias, {channels}, a.at("bias").as<float>());
  call.state(Role::kConvState, {channels, history},
             transposed(a.at("state").as<float>(), 1, history, channels));
  call.output(Role::kY, x.shape).word(Attr::kAct, act);
  return call;
}

Call delta_call(const Arrays& a, Word head_map) {
  const auto& q = a.at("q");
  const auto& v = a.at("v");
  const auto& state = a.at("state");
  const int64_t heads = state.shape[0];
  const int64_t key_width = state.shape[1];
  const int64_t value_width = state.shape[2];
  Call call(Op::kGatedDeltaRule);
  call.input(Role::kQ, q.shape, q.as<float>()).input(Role::kK, q.shape, a.at("k").as<float>());
  call.input(Role::kV, v.shape, v.as<float>()).input(Role::kG, {v.shape[0], heads}, a.at("g").as<float>());
  call.input(Role::kBeta, {v.shape[0], heads}, a.at("beta").as<float>());
  call.state(Role::kDeltaState, {heads, value_width, key_width},
             transposed(state.as<float>(), heads, key_width, value_width));
  call.output(Role::kY, v.shape).real(Attr::kScale, 1.0 / std::sqrt(static_cast<double>(key_width)));
  call.word(Attr::kHeadMap, head_map);
  return call;
}

void check_delta(const Arrays& a, Word head_map, const std::string& suffix) {
  Call call = delta_call(a, head_map);
  call.run(reference_rows());
  const auto& state = a.at("state");
  const auto expected =
      transposed(a.at("new_state" + suffix).as<float>(), state.shape[0], state.shape[1], state.shape[2]);
  CHECK(normalized_error(call.floats(Role::kY), a.at("out" + suffix).as<float>()) < kTolerance);
  CHECK(normalized_error(call.floats(Role::kDeltaState), expected) < kTolerance);
}

Call rope_call(const Arrays& a, Word style) {
  const auto& x = a.at("x");
  Call call(Op::kRope);
  call.input(Role::kX, x.shape, x.as<float>()).integers(Role::kPos, a.at("pos").as<int32_t>());
  call.output(Role::kY, x.shape).word(Attr::kStyle, style).word(Attr::kScaling, Word::kNone);
  call.integer(Attr::kNRot, static_cast<int64_t>(scalar(a.at("n_rot"))))
      .real(Attr::kBase, scalar(a.at("base")));
  call.real(Attr::kScalingFactor, 1.0);
  return call;
}

}  // namespace

TEST_CASE("causal_conv1d meets its vectors, with and without silu") {
  APRX_REQUIRE_SHARED(shared);
  const auto names = names_of(shared / "oracle/ops", "conv1d_");
  REQUIRE(names.size() == 12);
  for (const auto& name : names) {
    INFO(name);
    const auto a = aprx::test::read_npz(shared / "oracle/ops" / (name + ".npz"));
    const auto& w = a.at("w");
    const auto new_state = transposed(a.at("new_state").as<float>(), 1, w.shape[1] - 1, w.shape[0]);
    Call plain = conv_call(a, Word::kNone);
    plain.run(reference_rows());
    CHECK(normalized_error(plain.floats(Role::kY), a.at("y").as<float>()) < kTolerance);
    CHECK(plain.floats(Role::kConvState) == new_state);
    Call silu = conv_call(a, Word::kSilu);
    silu.run(reference_rows());
    CHECK(normalized_error(silu.floats(Role::kY), a.at("y_silu").as<float>()) < kTolerance);
    CHECK(silu.floats(Role::kConvState) == new_state);
  }
}

TEST_CASE("gated_delta_rule meets its vectors, tiled and blocked") {
  APRX_REQUIRE_SHARED(shared);
  const auto names = names_of(shared / "oracle/ops", "delta_");
  REQUIRE(names.size() == 13);
  size_t with_blocked = 0;
  for (const auto& name : names) {
    INFO(name);
    const auto a = aprx::test::read_npz(shared / "oracle/ops" / (name + ".npz"));
    check_delta(a, Word::kTiled, "");
    if (!a.contains("out_grouped")) continue;
    check_delta(a, Word::kBlocked, "_grouped");
    ++with_blocked;
  }
  CHECK(with_blocked == 5);
}

TEST_CASE("the state after half of the tokens meets its vectors") {
  APRX_REQUIRE_SHARED(shared);
  for (const auto& name : names_of(shared / "oracle/ops", "delta_")) {
    INFO(name);
    auto a = aprx::test::read_npz(shared / "oracle/ops" / (name + ".npz"));
    if (!a.contains("state_after_half")) continue;
    const int64_t half = a.at("v").shape[0] / 2;
    for (const char* operand : {"q", "k", "v", "g", "beta"}) {
      Array& array = a.at(operand);
      array.bytes.resize(array.bytes.size() / static_cast<size_t>(array.shape[0]) *
                         static_cast<size_t>(half));
      array.shape[0] = half;
    }
    Call call = delta_call(a, Word::kTiled);
    call.run(reference_rows());
    const auto& state = a.at("state");
    const auto expected =
        transposed(a.at("state_after_half").as<float>(), state.shape[0], state.shape[1], state.shape[2]);
    CHECK(normalized_error(call.floats(Role::kDeltaState), expected) < kTolerance);
  }
}

TEST_CASE("l2_norm meets its vectors, with eps under the root") {
  APRX_REQUIRE_SHARED(shared);
  const std::string eps = GENERATE("1e-05", "1e-06");
  const auto a = aprx::test::read_npz(shared / "oracle/ops" / ("l2norm_eps" + eps + ".npz"));
  const auto& x = a.at("x");
  Call call(Op::kL2Norm);
  call.input(Role::kX, x.shape, x.as<float>())
      .output(Role::kY, x.shape)
      .real(Attr::kEps, scalar(a.at("eps")));
  call.run(reference_rows());
  CHECK(normalized_error(call.floats(Role::kY), a.at("y_hf").as<float>()) < kTolerance);
}

TEST_CASE("rms_norm and gated_rms_norm meet their vectors") {
  APRX_REQUIRE_SHARED(shared);
  const std::string eps = GENERATE("1e-05", "1e-06");
  const auto a = aprx::test::read_npz(shared / "oracle/ops" / ("rmsnorm_eps" + eps + ".npz"));
  const auto& x = a.at("x");
  const auto& w = a.at("w");
  Call plain(Op::kRmsNorm);
  plain.input(Role::kX, x.shape, x.as<float>()).vector(Role::kW, w.shape, w.as<float>());
  plain.output(Role::kY, x.shape).real(Attr::kEps, scalar(a.at("eps")));
  plain.run(reference_rows());
  CHECK(normalized_error(plain.floats(Role::kY), a.at("y").as<float>()) < kTolerance);

  Call gated(Op::kGatedRmsNorm);
  gated.input(Role::kX, x.shape, x.as<float>()).input(Role::kZ, x.shape, a.at("z").as<float>());
  gated.vector(Role::kW, w.shape, w.as<float>())
      .output(Role::kY, x.shape)
      .real(Attr::kEps, scalar(a.at("eps")));
  gated.word(Attr::kOrder, Word::kNormFirst).word(Attr::kAct, Word::kSilu);
  gated.run(reference_rows());
  CHECK(normalized_error(gated.floats(Role::kY), a.at("y_gated").as<float>()) < kTolerance);
}

TEST_CASE("rope meets its vectors in both styles") {
  APRX_REQUIRE_SHARED(shared);
  const auto names = names_of(shared / "oracle/ops", "rope_");
  REQUIRE(names.size() == 4);
  for (const auto& name : names) {
    INFO(name);
    const auto a = aprx::test::read_npz(shared / "oracle/ops" / (name + ".npz"));
    Call neox = rope_call(a, Word::kNeox);
    neox.run(reference_rows());
    CHECK(normalized_error(neox.floats(Role::kY), a.at("y_neox").as<float>()) < kTolerance);
    Call interleaved = rope_call(a, Word::kInterleaved);
    interleaved.run(reference_rows());
    CHECK(normalized_error(interleaved.floats(Role::kY), a.at("y_norm").as<float>()) < kTolerance);
  }
}

TEST_CASE("attention meets its vectors, and its gated form by sigmoid and mul") {
  APRX_REQUIRE_SHARED(shared);
  const auto names = names_of(shared / "oracle/ops", "attn_");
  REQUIRE(names.size() == 5);
  for (const auto& name : names) {
    INFO(name);
    const auto a = aprx::test::read_npz(shared / "oracle/ops" / (name + ".npz"));
    const auto& q = a.at("q");
    const auto& k = a.at("k");
    std::vector<int32_t> positions(static_cast<size_t>(q.shape[0]));
    for (size_t t = 0; t < positions.size(); ++t) {
      positions[t] = static_cast<int32_t>(t) + a.at("prefix").as<int32_t>()[0];
    }
    Call call(Op::kAttention);
    call.input(Role::kQ, q.shape, q.as<float>()).integers(Role::kPos, positions).output(Role::kY, q.shape);
    call.state(Role::kKCache, k.shape, k.as<float>()).state(Role::kVCache, k.shape, a.at("v").as<float>());
    call.real(Attr::kScale, 1.0 / std::sqrt(static_cast<double>(q.shape[2])));
    call.real(Attr::kSoftcap, 0.0).integer(Attr::kWindow, 0);
    call.run(reference_rows());
    CHECK(normalized_error(call.floats(Role::kY), a.at("out").as<float>()) < kTolerance);

    Call gate(Op::kUnary);
    gate.input(Role::kX, q.shape, a.at("gate").as<float>()).output(Role::kY, q.shape);
    gate.word(Attr::kAct, Word::kSigmoid).run(reference_rows());
    Call gated(Op::kMul);
    gated.input(Role::kA, q.shape, call.floats(Role::kY)).input(Role::kB, q.shape, gate.floats(Role::kY));
    gated.output(Role::kY, q.shape).run(reference_rows());
    CHECK(normalized_error(gated.floats(Role::kY), a.at("out_gated").as<float>()) < kTolerance);
  }
}

TEST_CASE("delta_gate meets its vectors") {
  APRX_REQUIRE_SHARED(shared);
  const auto a = aprx::test::read_npz(shared / "oracle/ops/gdn_gate.npz");
  const auto& alpha = a.at("alpha");
  Call call(Op::kDeltaGate);
  call.input(Role::kA, alpha.shape, alpha.as<float>()).input(Role::kB, alpha.shape, a.at("b").as<float>());
  call.vector(Role::kDtBias, {alpha.shape[1]}, a.at("dt_bias").as<float>());
  call.vector(Role::kNegA, {alpha.shape[1]}, a.at("A").as<float>());
  call.output(Role::kG, alpha.shape).output(Role::kBeta, alpha.shape).run(reference_rows());
  CHECK(normalized_error(call.floats(Role::kG), a.at("g").as<float>()) < kTolerance);
  CHECK(normalized_error(call.floats(Role::kBeta), a.at("beta").as<float>()) < kTolerance);
}

TEST_CASE("glu with silu meets its vectors") {
  APRX_REQUIRE_SHARED(shared);
  const auto a = aprx::test::read_npz(shared / "oracle/ops/swiglu.npz");
  const auto& gate = a.at("gate");
  Call call(Op::kGlu);
  call.input(Role::kGate, gate.shape, gate.as<float>()).input(Role::kUp, gate.shape, a.at("up").as<float>());
  call.output(Role::kY, gate.shape).word(Attr::kAct, Word::kSilu).run(reference_rows());
  CHECK(normalized_error(call.floats(Role::kY), a.at("y").as<float>()) < kTolerance);
}
