#include "runtime/sample/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace aprx {

namespace {

Error bad_logits(ErrorCode code, std::string found) {
  return Error{
      .code = code, .file = {}, .subject = "logits", .found = std::move(found), .expected = {}, .hint = {}};
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, size_t vocabulary)
    : options_(options), vocabulary_(vocabulary), random_(options.seed), penalized_(vocabulary, false) {
  candidates_.reserve(vocabulary);
}

Result<int32_t> Sampler::sample(std::span<const float> logits, std::span<const int32_t> history) {
  if (auto done = take(logits); !done) return done.error();
  penalize(history);
  if (options_.temperature == 0.0F) return likeliest();
  keep_top_k();
  keep_top_p();
  keep_min_p();
  return draw();
}

Result<void> Sampler::take(std::span<const float> logits) {
  if (logits.size() != vocabulary_) {
    return bad_logits(ErrorCode::kInternal,
                      fmt::format("{} logits for a vocabulary of {}", logits.size(), vocabulary_));
  }
  candidates_.clear();
  for (size_t id = 0; id < logits.size(); ++id) {
    if (!std::isfinite(logits[id])) {
      return bad_logits(ErrorCode::kBadFile, fmt::format("logit {} is not finite", id));
    }
    candidates_.push_back({logits[id], static_cast<int32_t>(id)});
  }
  return {};
}

// Candidates still lie by id here.
void Sampler::penalize(std::span<const int32_t> history) {
  if (options_.repeat_penalty == 1.0F) return;
  const auto last = static_cast<size_t>(options_.repeat_last_n);
  const bool whole = options_.repeat_last_n < 0 || last >= history.size();
  const std::span<const int32_t> recent = whole ? history : history.last(last);
  const auto is_known = [this](int32_t id) { return id >= 0 && static_cast<size_t>(id) < vocabulary_; };
  for (const int32_t id : recent) {
    if (!is_known(id) || penalized_[static_cast<size_t>(id)]) continue;
    penalized_[static_cast<size_t>(id)] = true;
    float& logit = candidates_[static_cast<size_t>(id)].logit;
    logit = logit > 0.0F ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
  }
  for (const int32_t id : recent) {
    if (is_known(id)) penalized_[static_cast<size_t>(id)] = false;
  }
}

int32_t Sampler::likeliest() const {
  return std::min_element(candidates_.begin(), candidates_.end(), Likelier{})->id;
}

void Sampler::keep_top_k() {
  const auto k = static_cast<size_t>(options_.top_k);
  if (k == 0 || k >= candidates_.size()) return;
  const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(k);
  std::partial_sort(candidates_.begin(), end, candidates_.end(), Likelier{});
  candidates_.resize(k);
}

// A heap gives the candidates by falling probability, so only those that stay are ever put in order.
void Sampler::keep_top_p() {
  if (options_.top_p >= 1.0F) return;
  const double highest = std::min_element(candidates_.begin(), candidates_.end(), Likelier{})->logit;
  const auto weight = [highest](const Candidate& c) { return std::exp(double{c.logit} - highest); };
  double whole = 0;
  for (const Candidate& c : candidates_) whole += weight(c);

  const auto less_likely = [](const Candidate& a, const Candidate& b) { return Likelier{}(b, a); };
  std::make_heap(candidates_.begin(), candidates_.end(), less_likely);
  auto rest = candidates_.end();  // the heap is in front of it, what stays behind
  double sum = 0;
  while (rest != candidates_.begin()) {
    std::pop_heap(candidates_.begin(), rest, less_likely);
    --rest;
    sum += weight(*rest);
    if (sum >= options_.top_p * whole) break;
  }
  candidates_.erase(candidates_.begin(), rest);
}

void Sampler::keep_min_p() {
  if (options_.min_p <= 0.0F) return;
  const double highest = std::min_element(candidates_.begin(), candidates_.end(), Likelier{})->logit;
  const double lowest = highest + std::log(double{options_.min_p});
  const auto too_low = [lowest](const Candidate& c) { return double{c.logit} < lowest; };
  candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(), too_low), candidates_.end());
}

int32_t Sampler::draw() {
  const double highest = std::min_element(candidates_.begin(), candidates_.end(), Likelier{})->logit;
  const auto weight = [&](const Candidate& c) {
    return std::exp((double{c.logit} - highest) / options_.temperature);
  };
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

}  // namespace aprx
