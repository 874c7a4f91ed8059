#include "runtime/sample/logit_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace aprx {

namespace {

constexpr uint32_t kExponent = 0x7F80'0000U;
constexpr size_t kScanBlock = 256;

// Integers in the order of the floats, which compilers reduce in vectors where they won't for floats.
int32_t key_of(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits ^ ((bits >> 31) & 0x7FFF'FFFF);
}

float float_of(int32_t key) { return std::bit_cast<float>(key ^ ((key >> 31) & 0x7FFF'FFFF)); }

// The k likeliest so far come to the front; the others go.
void shrink(size_t k, std::vector<Candidate>& kept) {
  std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k - 1), kept.end(), Likelier{});
  kept.resize(k);
}

}  // namespace

bool all_finite(std::span<const float> logits) {
  uint32_t is_bad = 0;
  for (const float x : logits) is_bad |= (std::bit_cast<uint32_t>(x) & kExponent) == kExponent ? 1U : 0U;
  return is_bad == 0;
}

float highest_of(std::span<const float> logits) {
  int32_t highest = std::numeric_limits<int32_t>::min();
  for (const float x : logits) highest = std::max(highest, key_of(x));
  return float_of(highest);
}

// 2^n · e^r with r in ±ln(2)/2. ln 2 is taken off in two parts, the first exact in products with n. The bound
// is one of integers, since a choice between floats keeps compilers from making vectors.
float weight_of(float x) {
  const int32_t magnitude = std::bit_cast<int32_t>(x) & 0x7FFF'FFFF;
  const float bounded = -std::bit_cast<float>(std::min(magnitude, std::bit_cast<int32_t>(87.0F)));
  const auto n = static_cast<int32_t>(bounded * 1.44269504F - 0.5F);
  const auto whole = static_cast<float>(n);
  const float r = (bounded - whole * 0.693359375F) + whole * 2.12194440e-4F;
  float p = 0.00138146104F * r + 0.00836871006F;
  p = p * r + 0.0416683890F;
  p = p * r + 0.166665211F;
  p = p * r + 0.499999940F;
  p = p * (r * r) + (r + 1.0F);
  return p * std::bit_cast<float>((n + 127) << 23);
}

// Weights are added up by halves, which compilers make vectors of, as they don't of a sum in one variable.
double mass_of(std::span<const float> logits, float highest, float scale) {
  double whole = 0;
  while (!logits.empty()) {
    const std::span<const float> block = logits.first(std::min(kMassBlock, logits.size()));
    logits = logits.subspan(block.size());
    std::array<float, kMassBlock> weights = {};
    for (size_t i = 0; i < block.size(); ++i) weights[i] = weight_of((block[i] - highest) * scale);
    for (size_t half = kMassBlock / 2; half > 0; half /= 2) {
      for (size_t i = 0; i < half; ++i) weights[i] += weights[half + i];
    }
    whole += double{weights[0]};
  }
  return whole;
}

size_t least_room(size_t k) { return 2 * k + kScanBlock; }

// Once k are kept, a logit that isn't above the lowest of them can't enter, as its id is higher; so most
// blocks are passed over by their highest logit alone.
void keep_likeliest(std::span<const float> logits, size_t k, std::vector<Candidate>& kept) {
  kept.clear();
  float lowest = -std::numeric_limits<float>::infinity();
  for (size_t first = 0; first < logits.size(); first += kScanBlock) {
    const std::span<const float> block = logits.subspan(first, std::min(kScanBlock, logits.size() - first));
    if (!(highest_of(block) > lowest)) continue;
    for (size_t i = 0; i < block.size(); ++i) {
      if (block[i] > lowest) kept.push_back({block[i], static_cast<int32_t>(first + i)});
    }
    if (kept.size() < 2 * k) continue;
    shrink(k, kept);
    lowest = kept.back().logit;
  }
  if (kept.size() > k) shrink(k, kept);
}

void keep_from(std::span<const float> logits, float lowest, std::vector<Candidate>& kept) {
  kept.clear();
  for (size_t first = 0; first < logits.size(); first += kScanBlock) {
    const std::span<const float> block = logits.subspan(first, std::min(kScanBlock, logits.size() - first));
    if (highest_of(block) < lowest) continue;
    for (size_t i = 0; i < block.size(); ++i) {
      if (block[i] >= lowest) kept.push_back({block[i], static_cast<int32_t>(first + i)});
    }
  }
}

}  // namespace aprx
