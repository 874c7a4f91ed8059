#include "runtime/sample/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace aprx {

namespace {

constexpr size_t kBins = 1024;

Error bad_logits(ErrorCode code, std::string found) {
  return Error{
      .code = code, .file = {}, .subject = "logits", .found = std::move(found), .expected = {}, .hint = {}};
}

Result<void> check(std::span<const float> logits, size_t vocabulary) {
  if (logits.size() != vocabulary) {
    return bad_logits(ErrorCode::kInternal,
                      fmt::format("{} logits for a vocabulary of {}", logits.size(), vocabulary));
  }
  if (all_finite(logits)) return {};
  const auto bad = std::ranges::find_if(logits, [](float x) { return !std::isfinite(x); });
  return bad_logits(ErrorCode::kBadFile, fmt::format("logit {} is not finite", bad - logits.begin()));
}

// A temperature near zero must not make a product of 0 and infinity.
float scale_of(float temperature) {
  return temperature > 0.0F ? std::min(1.0F / temperature, std::numeric_limits<float>::max()) : 0.0F;
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, size_t vocabulary)
    : options_(options),
      vocabulary_(vocabulary),
      scale_(scale_of(options.temperature)),
      random_(options.seed) {
  const auto k = static_cast<size_t>(options.top_k);
  const bool has_top_k = k > 0 && k < vocabulary;
  const bool may_keep_all = !has_top_k && (options.top_p < 1.0F || options.min_p > 0.0F);
  if (options.temperature > 0.0F) {
    candidates_.reserve(has_top_k ? least_room(k) : may_keep_all ? vocabulary : 0);
    scratch_.reserve(options.top_p < 1.0F ? candidates_.capacity() : 0);
  }
  if (options.repeat_penalty != 1.0F) penalized_.resize(vocabulary);
}

Result<int32_t> Sampler::sample(std::span<const float> logits, std::span<const int32_t> history) {
  if (auto ok = check(logits, vocabulary_); !ok) return ok.error();
  const std::span<const float> values = penalized(logits, history);
  const float highest = highest_of(values);
  if (options_.temperature == 0.0F) {
    return static_cast<int32_t>(std::ranges::find(values, highest) - values.begin());
  }
  const bool keeps_all = (options_.top_k == 0 || static_cast<size_t>(options_.top_k) >= vocabulary_) &&
                         options_.top_p >= 1.0F && options_.min_p <= 0.0F;
  if (keeps_all) return draw_from_all(values, highest);
  choose(values, highest);
  return draw(highest);
}

std::span<const float> Sampler::penalized(std::span<const float> logits, std::span<const int32_t> history) {
  if (options_.repeat_penalty == 1.0F) return logits;
  std::ranges::copy(logits, penalized_.begin());
  const auto last = static_cast<size_t>(options_.repeat_last_n);
  const bool whole = options_.repeat_last_n < 0 || last >= history.size();
  for (const int32_t id : whole ? history : history.last(last)) {
    if (id < 0 || static_cast<size_t>(id) >= vocabulary_) continue;
    // From the logit itself, so that a token that occurs twice is penalized once.
    const float logit = logits[static_cast<size_t>(id)];
    const float changed = logit > 0.0F ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
    constexpr float kMost = std::numeric_limits<float>::max();
    penalized_[static_cast<size_t>(id)] = std::clamp(changed, -kMost, kMost);
  }
  return penalized_;
}

void Sampler::choose(std::span<const float> values, float highest) {
  const float lowest = options_.min_p > 0.0F
                           ? static_cast<float>(double{highest} + std::log(double{options_.min_p}))
                           : -std::numeric_limits<float>::infinity();
  const auto k = static_cast<size_t>(options_.top_k);
  if (k == 0 || k >= values.size()) return keep_nucleus(values, highest, lowest);
  keep_top_k(values, k, highest, lowest);
}

void Sampler::keep_top_k(std::span<const float> values, size_t k, float highest, float lowest) {
  keep_likeliest(values, k, candidates_);
  std::ranges::sort(candidates_, {}, &Candidate::id);
  const double whole = options_.top_p < 1.0F ? kept_mass(highest) : 0.0;
  std::erase_if(candidates_, [lowest](const Candidate& c) { return c.logit < lowest; });
  if (options_.top_p < 1.0F) cut_to_mass(options_.top_p * whole, highest);
}

// Most of the mass mostly lies within some nats of the highest logit: look there before collecting more.
void Sampler::keep_nucleus(std::span<const float> values, float highest, float lowest) {
  if (options_.top_p >= 1.0F) return keep_from(values, lowest, candidates_);
  const double needed = options_.top_p * mass_of(values, highest, 1.0F);
  for (const float reach : {12.0F, 24.0F, std::numeric_limits<float>::infinity()}) {
    keep_from(values, std::max(highest - reach, lowest), candidates_);
    if (highest - reach <= lowest || kept_mass(highest) >= needed) break;
  }
  cut_to_mass(needed, highest);
}

double Sampler::kept_mass(float highest) const {
  double mass = 0;
  for (const Candidate& c : candidates_) mass += double{weight_of(c.logit - highest)};
  return mass;
}

// Keeps the fewest of the likeliest whose mass reaches `needed`. Of bins by logit, one holds the last of
// them; only that bin is looked at closer.
void Sampler::cut_to_mass(double needed, float highest) {
  const float range = highest - std::ranges::min_element(candidates_, {}, &Candidate::logit)->logit;
  const float step = kBins / std::max(range, 1e-6F);
  const auto bin_of = [&](const Candidate& c) {
    return std::min(kBins - 1, static_cast<size_t>((highest - c.logit) * step));
  };
  std::array<double, kBins> masses = {};
  for (const Candidate& c : candidates_) masses[bin_of(c)] += double{weight_of(c.logit - highest)};
  size_t bin = 0;
  for (; bin + 1 < kBins && masses[bin] < needed; ++bin) needed -= masses[bin];
  // Where rounding lets the whole fall short of what is needed, the last bin may be empty: all stay.
  scratch_.clear();
  std::ranges::copy_if(candidates_, std::back_inserter(scratch_),
                       [&](const Candidate& c) { return bin_of(c) == bin; });
  if (scratch_.empty()) return;
  const Candidate last = last_of_mass(needed, highest);
  std::erase_if(candidates_, [last](const Candidate& c) { return Likelier{}(last, c); });
}

// The last of the fewest of scratch_ that reach `needed`, found by halving: the half with the likelier ones
// either reaches it or is kept whole.
Candidate Sampler::last_of_mass(double needed, float highest) {
  auto begin = scratch_.begin();
  auto end = scratch_.end();
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, Likelier{});
    double mass = 0;
    for (auto c = begin; c != middle; ++c) mass += double{weight_of(c->logit - highest)};
    if (mass >= needed) {
      end = middle;
    } else {
      needed -= mass;
      begin = middle;
    }
  }
  return *begin;
}

int32_t Sampler::draw(float highest) {
  const auto weight = [&](const Candidate& c) { return double{weight_of((c.logit - highest) * scale_)}; };
  double whole = 0;
  for (const Candidate& c : candidates_) whole += weight(c);
  const double target = random_.next_unit() * whole;
  double sum = 0;
  for (const Candidate& c : candidates_) {
    sum += weight(c);
    if (sum > target) return c.id;
  }
  // Rounding may leave the sum a little below its own total.
  return candidates_.back().id;
}

// The block first, then the token in it.
int32_t Sampler::draw_from_all(std::span<const float> values, float highest) {
  double left = random_.next_unit() * mass_of(values, highest, scale_);
  size_t id = 0;
  for (; id + kMassBlock < values.size(); id += kMassBlock) {
    const double mass = mass_of(values.subspan(id, kMassBlock), highest, scale_);
    if (mass > left) break;
    left -= mass;
  }
  for (; id + 1 < values.size(); ++id) {
    left -= double{weight_of((values[id] - highest) * scale_)};
    if (left < 0) break;
  }
  return static_cast<int32_t>(id);
}

}  // namespace aprx
