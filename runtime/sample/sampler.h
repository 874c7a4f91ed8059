// Chooses the next token from a model's logits.
//
// The steps, in this order:
//   repetition penalty  each distinct token of the last repeat_last_n of the history once: a positive logit
//                       is divided by repeat_penalty, another multiplied with it
//   temperature 0       the highest logit wins, of equals the lowest id; nothing below applies
//   top-k               the k highest logits stay, of equals the lower ids
//   top-p               of those, by falling probability, the fewest whose sum reaches top_p of the whole
//   min-p               those with at least min_p times the highest probability
//   temperature         logits are divided by it and one token is drawn by softmax
// Probabilities of top-p and min-p are those at temperature 1. Token by token nothing is allocated, and
// nothing sorts the vocabulary: what stays is found by passes over all logits and by selection. The same
// options, logits and histories give the same tokens. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "runtime/sample/logit_scan.h"
#include "runtime/sample/random.h"
#include "runtime/sample/sampling_options.h"

namespace aprx {

class Sampler {
 public:
  // `options` must pass validate(); `vocabulary` is the number of logits, at least 1.
  Sampler(const SamplingOptions& options, size_t vocabulary);

  // `logits` has `vocabulary` items; `history` is prompt and answer so far, oldest first (ids outside the
  // vocabulary are passed over).
  // Errors: kInternal for another number of logits; kBadFile for a logit that is not finite.
  [[nodiscard]] Result<int32_t> sample(std::span<const float> logits, std::span<const int32_t> history);

 private:
  // The logits as they count, after the penalty.
  std::span<const float> penalized(std::span<const float> logits, std::span<const int32_t> history);
  // What top-k, top-p and min-p leave of all, by id, in candidates_.
  void choose(std::span<const float> values, float highest);
  void keep_nucleus(std::span<const float> values, float highest, float lowest);
  void keep_top_k(std::span<const float> values, size_t k, float highest, float lowest);
  void cut_to_mass(double needed, float highest);
  [[nodiscard]] Candidate last_of_mass(double needed, float highest);
  [[nodiscard]] double kept_mass(float highest) const;
  [[nodiscard]] int32_t draw(float highest);
  [[nodiscard]] int32_t draw_from_all(std::span<const float> values, float highest);

  SamplingOptions options_;
  size_t vocabulary_;
  float scale_;  // 1 / temperature
  Random random_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> scratch_;
  std::vector<float> penalized_;  // only with a penalty
};

}  // namespace aprx
