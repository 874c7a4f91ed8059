// Passes over all logits of a vocabulary. Loops are plain and without branches, so that compilers make
// vectors of them; 250,000 logits take some tens of microseconds a pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aprx {

struct Candidate {
  float logit;
  int32_t id;
};

// Of two equal logits the lower id is the likelier one.
struct Likelier {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  }
};

// Whether no logit is a NaN or an infinity.
[[nodiscard]] bool all_finite(std::span<const float> logits);

// The highest of at least one logit, none of which is a NaN.
[[nodiscard]] float highest_of(std::span<const float> logits);

// e^x for x ≤ 0 to a few units in the last place; below −87 that of −87, which is 0 beside any other weight.
[[nodiscard]] float weight_of(float x);

// Σ weight_of((logit − highest) · scale). In floats within blocks of kMassBlock, in doubles over blocks.
inline constexpr size_t kMassBlock = 1024;  // a power of two
[[nodiscard]] double mass_of(std::span<const float> logits, float highest, float scale);

// The k likeliest, in no order, to `kept`, which has room for least_room(k). 1 ≤ k ≤ number of logits.
[[nodiscard]] size_t least_room(size_t k);
void keep_likeliest(std::span<const float> logits, size_t k, std::vector<Candidate>& kept);

// Those of at least `lowest`, by id, to `kept`, which has room for all.
void keep_from(std::span<const float> logits, float lowest, std::vector<Candidate>& kept);

}  // namespace aprx
