// Operators with a state: any split of the tokens, no tokens at all, and the order of the steps.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "aprx/conformance/call.hpp"
#include "aprx/conformance/reference.hpp"

namespace {

using aprx::Attr;
using aprx::Op;
using aprx::Role;
using aprx::Word;
using aprx::conformance::Call;
using aprx::conformance::normalized_error;
using aprx::conformance::reference_rows;

using Values = std::vector<float>;

Values random_values(size_t count, uint32_t seed, float spread = 1.0F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, spread);
  Values values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// Tokens begin … end−1 of values with `width` numbers a token.
Values tokens_of(const Values& values, int64_t begin, int64_t end, int64_t width) {
  return {values.begin() + begin * width, values.begin() + end * width};
}

void append(Values& to, const Values& values) { to.insert(to.end(), values.begin(), values.end()); }

struct DeltaInputs {
  int64_t key_heads = 2, value_heads = 4, key_width = 16, value_width = 24, tokens = 0;
  Values q{}, k{}, v{}, g{}, beta{};
};

DeltaInputs random_delta(int64_t tokens) {
  DeltaInputs in;
  in.tokens = tokens;
  const auto count = [&](int64_t a, int64_t b) { return static_cast<size_t>(tokens * a * b); };
  in.q = random_values(count(in.key_heads, in.key_width), 1, 0.25F);
  in.k = random_values(count(in.key_heads, in.key_width), 2, 0.25F);
  in.v = random_values(count(in.value_heads, in.value_width), 3);
  in.g = random_values(count(in.value_heads, 1), 4, 0.3F);
  for (float& g : in.g) g = -std::fabs(g);
  in.beta = random_values(count(in.value_heads, 1), 5);
  for (float& beta : in.beta) beta = 1.0F / (1.0F + std::exp(-beta));
  return in;
}

struct Outcome {
  Values y, state;
};

Outcome run_delta(const DeltaInputs& in, int64_t begin, int64_t end, const Values& state) {
  const int64_t n = end - begin;
  const int64_t keys = in.key_heads * in.key_width;
  const int64_t values = in.value_heads * in.value_width;
  Call call(Op::kGatedDeltaRule);
  call.input(Role::kQ, {n, in.key_heads, in.key_width}, tokens_of(in.q, begin, end, keys));
  call.input(Role::kK, {n, in.key_heads, in.key_width}, tokens_of(in.k, begin, end, keys));
  call.input(Role::kV, {n, in.value_heads, in.value_width}, tokens_of(in.v, begin, end, values));
  call.input(Role::kG, {n, in.value_heads}, tokens_of(in.g, begin, end, in.value_heads));
  call.input(Role::kBeta, {n, in.value_heads}, tokens_of(in.beta, begin, end, in.value_heads));
  call.state(Role::kDeltaState, {in.value_heads, in.value_width, in.key_width}, state);
  call.output(Role::kY, {n, in.value_heads, in.value_width}).word(Attr::kHeadMap, Word::kTiled);
  call.real(Attr::kScale, 0.25).run(reference_rows());
  return {call.floats(Role::kY), call.floats(Role::kDeltaState)};
}

// One head, one key channel, one value channel.
Outcome scalar_delta(float state, float q, float k, float v, float g, float beta) {
  DeltaInputs in{.key_heads = 1, .value_heads = 1, .key_width = 1, .value_width = 1, .tokens = 1};
  in.q = {q};
  in.k = {k};
  in.v = {v};
  in.g = {g};
  in.beta = {beta};
  return run_delta(in, 0, 1, {state});
}

struct ConvInputs {
  int64_t channels = 5, width = 4;
  Values x{}, taps{}, bias{};
};

Outcome run_conv(const ConvInputs& in, int64_t begin, int64_t end, const Values& state) {
  Call call(Op::kCausalConv1d);
  call.input(Role::kX, {end - begin, in.channels}, tokens_of(in.x, begin, end, in.channels));
  call.vector(Role::kConv, {in.channels, in.width}, in.taps).vector(Role::kBias, {in.channels}, in.bias);
  call.state(Role::kConvState, {in.channels, in.width - 1}, state)
      .output(Role::kY, {end - begin, in.channels});
  call.word(Attr::kAct, Word::kSilu).run(reference_rows());
  return {call.floats(Role::kY), call.floats(Role::kConvState)};
}

ConvInputs random_conv(int64_t tokens) {
  ConvInputs in;
  in.x = random_values(static_cast<size_t>(tokens * in.channels), 11);
  in.taps = random_values(static_cast<size_t>(in.channels * in.width), 12);
  in.bias = random_values(static_cast<size_t>(in.channels), 13);
  return in;
}

}  // namespace

TEST_CASE("gated_delta_rule gives the same on any split of its tokens") {
  const int64_t tokens = 130;
  const DeltaInputs in = random_delta(tokens);
  const Values start = random_values(4 * 24 * 16, 6);
  const Outcome whole = run_delta(in, 0, tokens, start);
  const int64_t chunk = GENERATE(1, 7, 64, 129);
  Outcome parts{{}, start};
  for (int64_t begin = 0; begin < tokens; begin += chunk) {
    const Outcome part = run_delta(in, begin, std::min(tokens, begin + chunk), parts.state);
    append(parts.y, part.y);
    parts.state = part.state;
  }
  CHECK(normalized_error(parts.y, whole.y) < 1e-6);
  CHECK(normalized_error(parts.state, whole.state) < 1e-6);
}

TEST_CASE("gated_delta_rule stays exact over 512 steps") {
  // With beta 0 nothing is written: the state decays by exp(−512/64) and nothing else.
  DeltaInputs in = random_delta(512);
  for (float& g : in.g) g = -0.015625F;
  for (float& beta : in.beta) beta = 0.0F;
  const Values start = random_values(4 * 24 * 16, 6);
  Values expected = start;
  for (float& value : expected) value = static_cast<float>(value * std::exp(-8.0));
  CHECK(normalized_error(run_delta(in, 0, 512, start).state, expected) < 1e-6);
}

TEST_CASE("no tokens leave states as they are") {
  const Values delta_state = random_values(4 * 24 * 16, 6);
  const Outcome delta = run_delta(random_delta(0), 0, 0, delta_state);
  CHECK(delta.y.empty());
  CHECK(delta.state == delta_state);
  const Values conv_state = random_values(15, 7);
  const Outcome conv = run_conv(random_conv(0), 0, 0, conv_state);
  CHECK(conv.y.empty());
  CHECK(conv.state == conv_state);
}

TEST_CASE("the delta rule reads from the decayed state") {
  // S = [[1]], k = q = 1, v = 0, β = 1, α = 0.5: the correction is −0.5 and S' = 0. Reading the state before
  // the decay would leave −0.5.
  const auto half = static_cast<float>(std::log(0.5));
  const Outcome outcome = scalar_delta(1.0F, 1.0F, 1.0F, 0.0F, half, 1.0F);
  CHECK(std::fabs(outcome.state[0]) < 1e-7F);
  CHECK(std::fabs(outcome.y[0]) < 1e-7F);
}

TEST_CASE("the delta rule's output comes from the updated state and a scaled q") {
  // S = 2, decayed to 1; u = 0.5·(3 − 1·1) = 1; S = 2; y = 2 · 0.25·q
  const Outcome outcome = scalar_delta(2.0F, 4.0F, 1.0F, 3.0F, static_cast<float>(std::log(0.5)), 0.5F);
  CHECK(std::fabs(outcome.state[0] - 2.0F) < 1e-6F);
  CHECK(std::fabs(outcome.y[0] - 2.0F) < 1e-6F);
}

TEST_CASE("value heads read key heads tiled or blocked") {
  // Two key heads that are 1 and 2, four value heads: with no state before, S = k and y = k·q = k².
  const auto run = [](Word head_map) {
    const Values keys = {1.0F, 2.0F};
    Call call(Op::kGatedDeltaRule);
    call.input(Role::kQ, {1, 2, 1}, keys)
        .input(Role::kK, {1, 2, 1}, keys)
        .input(Role::kV, {1, 4, 1}, Values(4, 1.0F));
    call.input(Role::kG, {1, 4}, Values(4, 0.0F)).input(Role::kBeta, {1, 4}, Values(4, 1.0F));
    call.state(Role::kDeltaState, {4, 1, 1}, Values(4, 0.0F)).output(Role::kY, {1, 4, 1});
    call.real(Attr::kScale, 1.0).word(Attr::kHeadMap, head_map).run(reference_rows());
    return call.floats(Role::kY);
  };
  CHECK(run(Word::kTiled) == Values{1.0F, 4.0F, 1.0F, 4.0F});
  CHECK(run(Word::kBlocked) == Values{1.0F, 1.0F, 4.0F, 4.0F});
}

TEST_CASE("a decay at the ends of its range keeps the state finite") {
  CHECK(scalar_delta(1.0F, 1.0F, 1.0F, 0.5F, 0.0F, 0.0F).state[0] == 1.0F);
  CHECK(scalar_delta(1.0F, 1.0F, 1.0F, 0.5F, -1e30F, 0.0F).state[0] == 0.0F);
  CHECK(scalar_delta(1.0F, 1.0F, 1.0F, 0.5F, -std::numeric_limits<float>::infinity(), 1.0F).state[0] == 0.5F);
}

TEST_CASE("a NaN reaches the state and the output") {
  const float nan = std::nanf("");
  const Outcome outcome = scalar_delta(1.0F, 1.0F, 1.0F, nan, 0.0F, 0.5F);
  CHECK(std::isnan(outcome.state[0]));
  CHECK(std::isnan(outcome.y[0]));
}

TEST_CASE("causal_conv1d gives the same bits on any split of its tokens") {
  const int64_t tokens = 23;
  const ConvInputs in = random_conv(tokens);
  const Values start = random_values(15, 14);
  const Outcome whole = run_conv(in, 0, tokens, start);
  const int64_t chunk = GENERATE(1, 2, 3, 5, 22);
  Outcome parts{{}, start};
  for (int64_t begin = 0; begin < tokens; begin += chunk) {
    const Outcome part = run_conv(in, begin, std::min(tokens, begin + chunk), parts.state);
    append(parts.y, part.y);
    parts.state = part.state;
  }
  CHECK(parts.y == whole.y);
  CHECK(parts.state == whole.state);
}

TEST_CASE("causal_conv1d sees the last four inputs and none after") {
  const int64_t tokens = 12;
  const ConvInputs in = random_conv(tokens);
  const Values start(15, 0.0F);
  const Values before = run_conv(in, 0, tokens, start).y;
  const int64_t changed = 5;
  ConvInputs other = in;
  for (int64_t c = 0; c < in.channels; ++c) other.x[static_cast<size_t>(changed * in.channels + c)] += 1.0F;
  const Values after = run_conv(other, 0, tokens, start).y;
  for (int64_t t = 0; t < tokens; ++t) {
    const bool reached = t >= changed && t < changed + in.width;
    const Values a = tokens_of(before, t, t + 1, in.channels);
    const Values b = tokens_of(after, t, t + 1, in.channels);
    INFO("token " << t);
    CHECK((a != b) == reached);
  }
}

TEST_CASE("causal_conv1d keeps inputs, not outputs, oldest first") {
  ConvInputs in{.channels = 1, .width = 4};
  in.x = {10.0F, 20.0F};
  in.taps = {1.0F, 0.0F, 0.0F, 0.0F};
  in.bias = {0.0F};
  const Outcome outcome = run_conv(in, 0, 2, {1.0F, 2.0F, 3.0F});
  CHECK(outcome.state == Values{3.0F, 10.0F, 20.0F});
  // The first tap weighs the oldest input: silu(1), silu(2).
  CHECK(std::fabs(outcome.y[0] - 0.7310586F) < 1e-6F);
  CHECK(std::fabs(outcome.y[1] - 1.7615942F) < 1e-6F);
}
