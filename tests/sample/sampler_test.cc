#include "runtime/sample/sampler.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace {

using aprx::Sampler;
using aprx::SamplingOptions;

// Everything off: plain softmax at temperature 1.
SamplingOptions plain() {
  return {.temperature = 1.0F,
          .top_k = 0,
          .top_p = 1.0F,
          .min_p = 0.0F,
          .repeat_penalty = 1.0F,
          .repeat_last_n = 64,
          .seed = 11};
}

SamplingOptions greedy() {
  SamplingOptions options = plain();
  options.temperature = 0.0F;
  return options;
}

int32_t one(Sampler& sampler, const std::vector<float>& logits, const std::vector<int32_t>& history = {}) {
  const auto token = sampler.sample(logits, history);
  REQUIRE(token.ok());
  return *token;
}

std::vector<double> shares(const SamplingOptions& options, const std::vector<float>& logits, int draws) {
  Sampler sampler(options, logits.size());
  std::vector<double> share(logits.size(), 0.0);
  for (int i = 0; i < draws; ++i) share[static_cast<size_t>(one(sampler, logits))] += 1.0 / draws;
  return share;
}

std::set<int32_t> drawn(const SamplingOptions& options, const std::vector<float>& logits, int draws = 4000) {
  Sampler sampler(options, logits.size());
  std::set<int32_t> ids;
  for (int i = 0; i < draws; ++i) ids.insert(one(sampler, logits));
  return ids;
}

std::vector<float> logs(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

std::string refusal(const SamplingOptions& options) {
  const auto checked = validate(options);
  REQUIRE_FALSE(checked.ok());
  CHECK(checked.error().code == aprx::ErrorCode::kUsage);
  return checked.error().text();
}

}  // namespace

TEST_CASE("temperature 0 takes the highest logit, of equals the lowest id") {
  Sampler sampler(greedy(), 5);
  CHECK(one(sampler, {0.0F, 3.0F, -1.0F, 3.0F, 2.0F}) == 1);
  CHECK(one(sampler, {-5.0F, -3.0F, -1.0F, -1.0F, -2.0F}) == 2);
  CHECK(one(sampler, {0.0F, 0.0F, 0.0F, 0.0F, 0.0F}) == 0);
}

TEST_CASE("the repetition penalty divides positive and multiplies negative logits, once a token") {
  SamplingOptions options = greedy();
  options.repeat_penalty = 2.0F;
  Sampler sampler(options, 3);
  // 3.0 / 2 = 1.5 stays above 1.4 however often the token occurred; 2.5 / 2 does not.
  CHECK(one(sampler, {3.0F, 1.4F, 0.0F}, {0, 0, 0}) == 0);
  CHECK(one(sampler, {2.5F, 1.4F, 0.0F}, {0}) == 1);
  CHECK(one(sampler, {-1.0F, -1.5F, -9.0F}, {0}) == 1);
  CHECK(one(sampler, {2.5F, 1.4F, 0.0F}) == 0);
}

TEST_CASE("the repetition penalty looks back repeat_last_n tokens") {
  const std::vector<float> logits = {2.5F, 1.4F, 0.0F};
  const std::vector<int32_t> history = {0, 2, 2};
  SamplingOptions options = greedy();
  options.repeat_penalty = 2.0F;
  const auto with = [&](int last) {
    options.repeat_last_n = last;
    Sampler sampler(options, 3);
    return one(sampler, logits, history);
  };
  CHECK(with(0) == 0);
  CHECK(with(2) == 0);
  CHECK(with(3) == 1);
  CHECK(with(100) == 1);
  CHECK(with(-1) == 1);
}

TEST_CASE("ids outside the vocabulary in the history are passed over") {
  SamplingOptions options = greedy();
  options.repeat_penalty = 2.0F;
  Sampler sampler(options, 2);
  CHECK(one(sampler, {2.0F, 1.5F}, {-1, 2, 1000000}) == 0);
}

TEST_CASE("draws follow the softmax of the logits") {
  const std::vector<double> share = shares(plain(), logs({0.5, 0.3, 0.15, 0.05}), 200000);
  // Four standard deviations of a share of one half in 200000 draws are 0.0045.
  CHECK(std::abs(share[0] - 0.5) < 0.005);
  CHECK(std::abs(share[1] - 0.3) < 0.005);
  CHECK(std::abs(share[2] - 0.15) < 0.005);
  CHECK(std::abs(share[3] - 0.05) < 0.005);
}

TEST_CASE("temperature flattens or sharpens the distribution") {
  SamplingOptions options = plain();
  options.temperature = 2.0F;  // weights are square roots: 0.8, 0.2 become 2 : 1
  const std::vector<double> flat = shares(options, logs({0.8, 0.2}), 200000);
  CHECK(std::abs(flat[0] - 2.0 / 3.0) < 0.005);
  options.temperature = 0.5F;  // weights are squares: 16 : 1
  const std::vector<double> sharp = shares(options, logs({0.8, 0.2}), 200000);
  CHECK(std::abs(sharp[0] - 16.0 / 17.0) < 0.005);
}

TEST_CASE("top-k keeps the k highest, of equals the lower ids") {
  SamplingOptions options = plain();
  options.top_k = 3;
  CHECK(drawn(options, {1.0F, 2.0F, 1.0F, 1.5F, 1.0F}) == std::set<int32_t>{0, 1, 3});
  options.top_k = 1;
  CHECK(drawn(options, {1.0F, 2.0F, 2.0F}) == std::set<int32_t>{1});
  options.top_k = 100;
  CHECK(drawn(options, {1.0F, 2.0F, 2.0F}) == std::set<int32_t>{0, 1, 2});
}

TEST_CASE("top-p keeps the fewest tokens that reach it") {
  const std::vector<float> logits = logs({0.05, 0.5, 0.15, 0.3});
  SamplingOptions options = plain();
  options.top_p = 0.49F;
  CHECK(drawn(options, logits) == std::set<int32_t>{1});
  options.top_p = 0.6F;
  CHECK(drawn(options, logits) == std::set<int32_t>{1, 3});
  options.top_p = 0.9F;
  CHECK(drawn(options, logits) == std::set<int32_t>{1, 2, 3});
  options.top_p = 0.97F;
  CHECK(drawn(options, logits) == std::set<int32_t>{0, 1, 2, 3});
}

TEST_CASE("top-p counts what top-k left as the whole") {
  // Of 0.4 and 0.3 alone the first has 0.571 of the whole.
  SamplingOptions options = plain();
  options.top_k = 2;
  options.top_p = 0.55F;
  CHECK(drawn(options, logs({0.4, 0.3, 0.2, 0.1})) == std::set<int32_t>{0});
}

TEST_CASE("min-p keeps tokens by their share of the likeliest") {
  const std::vector<float> logits = logs({0.05, 0.5, 0.15, 0.3});
  SamplingOptions options = plain();
  options.min_p = 0.25F;
  CHECK(drawn(options, logits) == std::set<int32_t>{1, 2, 3});
  options.min_p = 0.35F;
  CHECK(drawn(options, logits) == std::set<int32_t>{1, 3});
  options.min_p = 1.0F;
  CHECK(drawn(options, logits) == std::set<int32_t>{1});
}

TEST_CASE("min-p and top-p judge probabilities before the temperature") {
  SamplingOptions options = plain();
  options.temperature = 100.0F;
  options.min_p = 0.35F;
  CHECK(drawn(options, logs({0.05, 0.5, 0.15, 0.3})) == std::set<int32_t>{1, 3});
  options.min_p = 0.0F;
  options.top_p = 0.6F;
  CHECK(drawn(options, logs({0.05, 0.5, 0.15, 0.3})) == std::set<int32_t>{1, 3});
}

TEST_CASE("top-p and top-k keep what sorting would keep") {
  constexpr size_t kVocabulary = 120;
  std::vector<float> logits;
  for (size_t i = 0; i < kVocabulary; ++i) logits.push_back(static_cast<float>((i * 89) % 40) / 8.0F);
  std::vector<int32_t> order(kVocabulary);
  std::iota(order.begin(), order.end(), 0);
  const auto logit = [&](int32_t id) { return logits[static_cast<size_t>(id)]; };
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) { return logit(a) > logit(b); });
  const auto nucleus = [&](size_t k, double top_p) {
    double whole = 0;
    for (size_t i = 0; i < k; ++i) whole += std::exp(double{logit(order[i])});
    std::set<int32_t> kept;
    double sum = 0;
    for (size_t i = 0; i < k && sum < top_p * whole; ++i) {
      kept.insert(order[i]);
      sum += std::exp(double{logit(order[i])});
    }
    return kept;
  };
  SamplingOptions options = plain();
  options.temperature = 100.0F;  // nearly even, so that all that stays is drawn
  for (const int k : {0, 1, 30, 60, 119, 120}) {
    for (const float top_p : {0.1F, 0.5F, 0.93F}) {
      options.top_k = k;
      options.top_p = top_p;
      CHECK(drawn(options, logits) == nucleus(k == 0 ? kVocabulary : static_cast<size_t>(k), double{top_p}));
    }
  }
}

TEST_CASE("a nucleus may reach far below the highest logit") {
  // 300 tokens at e^-13 make up 0.068 % of the mass; 99.96 % takes the first and 123 of them.
  std::vector<float> logits(301, -13.0F);
  logits[0] = 0.0F;
  SamplingOptions options = plain();
  options.temperature = 1000.0F;
  options.top_p = 0.9996F;
  const std::set<int32_t> ids = drawn(options, logits);
  CHECK(ids.size() == 124);
  CHECK(*ids.rbegin() == 123);
}

TEST_CASE("draws without a filter find their token among thousands") {
  std::vector<float> logits(5000, -20.0F);
  logits[10] = logits[1024] = logits[3500] = logits[4999] = 0.0F;
  const std::vector<double> share = shares(plain(), logits, 4000);
  // Four standard deviations of a share of a quarter in 4000 draws are 0.027.
  for (const size_t id : {10U, 1024U, 3500U, 4999U}) CHECK(std::abs(share[id] - 0.25) < 0.027);
}

TEST_CASE("a penalty near zero or a tiny temperature doesn't lose the token") {
  SamplingOptions options = plain();
  options.repeat_penalty = 1e-38F;
  Sampler penalized(options, 3);
  CHECK(one(penalized, {1.0F, 9.0F, 3.0F}, {1}) == 1);
  options = plain();
  options.temperature = 1e-44F;
  Sampler cold(options, 3);
  CHECK(one(cold, {1.0F, 9.0F, 3.0F}) == 1);
}

TEST_CASE("the same seed gives the same tokens, another seed others") {
  const std::vector<float> logits = logs({0.2, 0.2, 0.2, 0.2, 0.2});
  const auto sequence = [&](uint64_t seed, int top_k, float top_p) {
    SamplingOptions options = plain();
    options.seed = seed;
    options.top_k = top_k;
    options.top_p = top_p;
    Sampler sampler(options, logits.size());
    std::vector<int32_t> ids;
    for (int i = 0; i < 12; ++i) ids.push_back(one(sampler, logits));
    return ids;
  };
  // Worked out by hand from the generator: floor(5 * next_unit()) for seed 42.
  CHECK(sequence(42, 0, 1.0F) == std::vector<int32_t>{0, 1, 3, 4, 4, 3, 3, 4, 3, 2, 3, 1});
  CHECK(sequence(42, 5, 1.0F) == sequence(42, 0, 1.0F));
  CHECK(sequence(42, 4, 0.9F) == sequence(42, 4, 0.9F));
  CHECK(sequence(43, 0, 1.0F) != sequence(42, 0, 1.0F));
}

TEST_CASE("a vocabulary of 248,320 tokens is sampled without sorting it") {
  SamplingOptions options;
  options.seed = 3;
  std::vector<float> logits(248320);
  for (size_t i = 0; i < logits.size(); ++i) {
    logits[i] = static_cast<float>((i * 7919) % 248320) / 24832.0F;  // a permutation of 0 to 10
  }
  Sampler sampler(options, logits.size());
  for (int i = 0; i < 50; ++i) CHECK(logits[static_cast<size_t>(one(sampler, logits))] > 9.998F);
}

TEST_CASE("a logit that is not finite is an error that names it") {
  Sampler sampler(greedy(), 3);
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {inf, -inf, nan}) {
    const std::vector<float> logits = {0.0F, bad, 1.0F};
    const auto token = sampler.sample(logits, {});
    REQUIRE_FALSE(token.ok());
    CHECK(token.error().code == aprx::ErrorCode::kBadFile);
    CHECK(token.error().text() == "logits: logit 1 is not finite");
  }
  CHECK(one(sampler, {0.0F, 2.0F, 1.0F}) == 1);
}

TEST_CASE("a wrong number of logits is an error") {
  Sampler sampler(greedy(), 3);
  const std::vector<float> logits = {0.0F, 1.0F};
  const auto token = sampler.sample(logits, {});
  REQUIRE_FALSE(token.ok());
  CHECK(token.error().text() == "logits: 2 logits for a vocabulary of 3");
}

TEST_CASE("options out of range are refused by name") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(validate(SamplingOptions{}).ok());
  CHECK(validate(plain()).ok());
  CHECK(validate(greedy()).ok());
  SamplingOptions o = plain();
  o.temperature = -1.0F;
  CHECK(refusal(o) == "--temperature: is -1, expected a number of at least 0");
  o.temperature = nan;
  CHECK(refusal(o) == "--temperature: is nan, expected a number of at least 0");
  o.temperature = std::numeric_limits<float>::infinity();
  CHECK(refusal(o) == "--temperature: is inf, expected a number of at least 0");
  o = plain();
  o.top_k = -1;
  CHECK(refusal(o) == "--top-k: is -1, expected a count, or 0 for no limit");
  o = plain();
  o.top_p = 0.0F;
  CHECK(refusal(o) == "--top-p: is 0, expected a number above 0 and up to 1");
  o.top_p = 1.5F;
  CHECK(refusal(o) == "--top-p: is 1.5, expected a number above 0 and up to 1");
  o.top_p = nan;
  CHECK(refusal(o) == "--top-p: is nan, expected a number above 0 and up to 1");
  o = plain();
  o.min_p = -0.5F;
  CHECK(refusal(o) == "--min-p: is -0.5, expected a number from 0 to 1");
  o.min_p = 2.0F;
  CHECK(refusal(o) == "--min-p: is 2, expected a number from 0 to 1");
  o = plain();
  o.repeat_penalty = 0.0F;
  CHECK(refusal(o) == "--repeat-penalty: is 0, expected a number above 0");
  o = plain();
  o.repeat_last_n = -2;
  CHECK(refusal(o) == "--repeat-last-n: is -2, expected a count, or -1 for the whole history");
}
