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
// Probabilities of top-p and min-p are those at temperature 1. Token by token nothing is allocated, and no
// step sorts more than it keeps. The same options, logits and histories give the same tokens. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
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
  struct Candidate {
    float logit;
    int32_t id;
  };
  struct Likelier {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
    }
  };

  Result<void> take(std::span<const float> logits);
  void penalize(std::span<const int32_t> history);
  [[nodiscard]] int32_t likeliest() const;
  void keep_top_k();
  void keep_top_p();
  void keep_min_p();
  [[nodiscard]] int32_t draw();

  SamplingOptions options_;
  size_t vocabulary_;
  Random random_;
  std::vector<Candidate> candidates_;  // capacity: vocabulary
  std::vector<bool> penalized_;        // by id; all false between calls
};

}  // namespace aprx
