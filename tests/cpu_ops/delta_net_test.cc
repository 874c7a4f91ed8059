#include <catch2/generators/catch_generators.hpp>
#include <cmath>

#include "tests/cpu_ops/check.h"

namespace aprx::test {
namespace {

struct DeltaShape {
  int64_t key_heads;
  int64_t value_heads;
  int64_t dk;
  int64_t dv;
  int64_t tokens;
};

// Operands of a run; tokens begin … end−1 of it can be taken as a run of their own.
struct DeltaRun {
  explicit DeltaRun(const DeltaShape& s) : shape(s) {
    const auto norm = static_cast<float>(1.0 / std::sqrt(static_cast<double>(s.dk)));
    q = random_values(s.tokens * s.key_heads * s.dk, 1, norm);
    k = random_values(s.tokens * s.key_heads * s.dk, 2, norm);
    v = random_values(s.tokens * s.value_heads * s.dv, 3);
    g = random_values(s.tokens * s.value_heads, 4);
    for (float& x : g) x = -std::fabs(x);
    beta = random_values(s.tokens * s.value_heads, 5);
    for (float& x : beta) x = 1.0F / (1.0F + std::exp(-x));
    state = random_values(s.value_heads * s.dv * s.dk, 6);
  }

  [[nodiscard]] Call call(Word map, int64_t begin, int64_t end) const {
    const int64_t n = end - begin;
    const auto part = [&](const Values& all, int64_t width) {
      return std::span(all).subspan(static_cast<size_t>(begin * width), static_cast<size_t>(n * width));
    };
    Call call(Op::kGatedDeltaRule);
    call.input(Role::kQ, {n, shape.key_heads, shape.dk}, part(q, shape.key_heads * shape.dk));
    call.input(Role::kK, {n, shape.key_heads, shape.dk}, part(k, shape.key_heads * shape.dk));
    call.input(Role::kV, {n, shape.value_heads, shape.dv}, part(v, shape.value_heads * shape.dv));
    call.input(Role::kG, {n, shape.value_heads}, part(g, shape.value_heads));
    call.input(Role::kBeta, {n, shape.value_heads}, part(beta, shape.value_heads));
    call.state(Role::kDeltaState, {shape.value_heads, shape.dv, shape.dk}, state);
    call.output(Role::kY, {n, shape.value_heads, shape.dv}).word(Attr::kHeadMap, map);
    return call.real(Attr::kScale, 1.0 / std::sqrt(static_cast<double>(shape.dk)));
  }

  DeltaShape shape;
  Values q, k, v, g, beta, state;
};

Call conv(int64_t tokens, int64_t channels, int64_t taps, Word act) {
  Call call(Op::kCausalConv1d);
  call.view(Role::kX, {tokens, channels}, {channels + 3, 1}, random_values(tokens * (channels + 3) + 1, 1));
  call.vector(Role::kConv, {channels, taps}, random_values(channels * taps, 2));
  call.state(Role::kConvState, {channels, taps - 1}, random_values(channels * (taps - 1), 3));
  return call.output(Role::kY, {tokens, channels}).word(Attr::kAct, act);
}

}  // namespace

TEST_CASE("gated_delta_rule meets the reference at odd sizes and for both head maps") {
  const DeltaShape shape =
      GENERATE(DeltaShape{1, 1, 1, 1, 3}, DeltaShape{2, 4, 9, 5, 7}, DeltaShape{2, 6, 40, 70, 3},
               DeltaShape{16, 16, 128, 128, 1}, DeltaShape{2, 4, 128, 128, 9}, DeltaShape{1, 3, 64, 33, 20},
               DeltaShape{1, 2, 260, 11, 4});
  const Word map = GENERATE(Word::kTiled, Word::kBlocked);
  INFO(shape.key_heads << "/" << shape.value_heads << " heads, " << shape.dk << "x" << shape.dv);
  check_call(DeltaRun(shape).call(map, 0, shape.tokens), {Role::kY, Role::kDeltaState}, kNormal);
}

TEST_CASE("gated_delta_rule stays within tolerance over 512 tokens") {
  check_call(DeltaRun({1, 2, 64, 64, 512}).call(Word::kTiled, 0, 512), {Role::kY, Role::kDeltaState},
             kNormal);
}

TEST_CASE("strong decay gives zeros, not infinities") {
  DeltaRun run({1, 2, 32, 32, 40});
  for (float& g : run.g) g *= 60.0F;
  check_call(run.call(Word::kTiled, 0, 40), {Role::kY, Role::kDeltaState}, kNormal);
}

TEST_CASE("gated_delta_rule gives the same for any split of its tokens, and nothing for none") {
  DeltaRun run({2, 4, 32, 48, 130});
  on_every_target([&] {
    const Call whole = after(run.call(Word::kTiled, 0, 130), op_rows());
    DeltaRun chunked = run;
    Values y;
    for (const auto& [begin, end] : {std::pair{0, 1}, {1, 1}, {1, 8}, {8, 72}, {72, 130}}) {
      const Call part = after(chunked.call(Word::kTiled, begin, end), op_rows());
      const Values seen = part.floats(Role::kY);
      y.insert(y.end(), seen.begin(), seen.end());
      if (begin == end) CHECK(part.floats(Role::kDeltaState) == chunked.state);
      chunked.state = part.floats(Role::kDeltaState);
    }
    CHECK(normalized_error(y, whole.floats(Role::kY)) <= kNormal);
    CHECK(normalized_error(chunked.state, whole.floats(Role::kDeltaState)) <= kNormal);
  });
}

TEST_CASE("gated_delta_rule reads q, k and v as slices of one buffer") {
  const Values buffer = random_values(6 * 250, 7, 0.3F);
  Call call(Op::kGatedDeltaRule);
  call.view(Role::kQ, {6, 2, 24}, {250, 24, 1}, buffer);
  call.view(Role::kK, {6, 2, 24}, {250, 24, 1}, std::span(buffer).subspan(48));
  call.view(Role::kV, {6, 4, 20}, {250, 20, 1}, std::span(buffer).subspan(96));
  call.input(Role::kG, {6, 4}, Values(24, -0.1F)).input(Role::kBeta, {6, 4}, Values(24, 0.4F));
  call.state(Role::kDeltaState, {4, 20, 24}, random_values(4 * 20 * 24, 8)).output(Role::kY, {6, 4, 20});
  check_call(call.real(Attr::kScale, 0.2).word(Attr::kHeadMap, Word::kTiled), {Role::kY, Role::kDeltaState},
             kNormal);
}

TEST_CASE("causal_conv1d meets the reference for any number of taps") {
  const int64_t taps = GENERATE(2, 3, 4, 5, 9);
  const int64_t tokens = GENERATE(1, 2, 3, 65);
  const int64_t channels = GENERATE(1, 29, 600);
  const Word act = GENERATE(Word::kNone, Word::kSilu);
  INFO(taps << " taps, " << tokens << " tokens, " << channels << " channels");
  Call call = conv(tokens, channels, taps, act);
  check_call(call, {Role::kY, Role::kConvState}, kTight);
  check_call(call.vector(Role::kBias, {channels}, random_values(channels, 4)), {Role::kY}, kTight);
}

TEST_CASE("causal_conv1d leaves its state alone when there are no tokens") {
  const Values state = random_values(5 * 3, 3);
  Call call(Op::kCausalConv1d);
  call.input(Role::kX, {0, 5}, {}).vector(Role::kConv, {5, 4}, random_values(20, 2)).output(Role::kY, {0, 5});
  call.state(Role::kConvState, {5, 3}, state).word(Attr::kAct, Word::kSilu);
  on_every_target([&] { CHECK(after(call, op_rows()).floats(Role::kConvState) == state); });
}

TEST_CASE("causal_conv1d gives the same bits for any split of its tokens") {
  constexpr int64_t kTokens = 70;
  constexpr int64_t kChannels = 45;
  const Values x = random_values(kTokens * kChannels, 1);
  const auto part = [&](int64_t begin, int64_t end, const Values& state) {
    Call call(Op::kCausalConv1d);
    const auto size = static_cast<size_t>((end - begin) * kChannels);
    call.input(Role::kX, {end - begin, kChannels},
               std::span(x).subspan(static_cast<size_t>(begin * kChannels), size));
    call.vector(Role::kConv, {kChannels, 4}, random_values(kChannels * 4, 2))
        .output(Role::kY, {end - begin, kChannels});
    call.state(Role::kConvState, {kChannels, 3}, state).word(Attr::kAct, Word::kSilu);
    return after(call, op_rows());
  };
  on_every_target([&] {
    Values state = random_values(kChannels * 3, 3);
    const Call whole = part(0, kTokens, state);
    Values y;
    for (const auto& [begin, end] : {std::pair{0, 1}, {1, 3}, {3, 10}, {10, 70}}) {
      const Call step = part(begin, end, state);
      const Values seen = step.floats(Role::kY);
      y.insert(y.end(), seen.begin(), seen.end());
      state = step.floats(Role::kConvState);
    }
    CHECK(y == whole.floats(Role::kY));
    CHECK(state == whole.floats(Role::kConvState));
  });
}

TEST_CASE("delta_gate meets the reference") {
  const int64_t heads = GENERATE(1, 6, 16, 35);
  const int64_t tokens = GENERATE(1, 9, 600);
  Call call(Op::kDeltaGate);
  call.input(Role::kA, {tokens, heads}, random_values(tokens * heads, 1, 4.0F));
  call.view(Role::kB, {tokens, heads}, {heads + 2, 1}, random_values(tokens * (heads + 2), 2, 4.0F));
  Values neg_a = random_values(heads, 3);
  for (float& a : neg_a) a = -std::fabs(a);
  call.vector(Role::kNegA, {heads}, neg_a).vector(Role::kDtBias, {heads}, random_values(heads, 4));
  call.output(Role::kG, {tokens, heads}).output(Role::kBeta, {tokens, heads});
  check_call(call, {Role::kG, Role::kBeta}, kTight);
}

}  // namespace aprx::test
