// Row dots of Q4_K, Q5_K and Q6_K with vectors of 64 bytes: two groups of 32 weights in one vector, in the
// order of k, each lane with the factor of its own group. Included once for each Highway target that has such
// vectors.

#if defined(APRX_CPU_K_QUANTS_512_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_K_QUANTS_512_INL_H_
#undef APRX_CPU_K_QUANTS_512_INL_H_
#else
#define APRX_CPU_K_QUANTS_512_INL_H_
#endif

#include "hwy/highway.h"
#include "plugins/cpu_simd/gemv/dot4-inl.h"
#include "plugins/cpu_simd/gemv/k_scales-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {
namespace wide {

namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::FixedTag<uint8_t, 64>;
using DI8 = hn::FixedTag<int8_t, 64>;
using D16 = hn::FixedTag<uint16_t, 32>;
using D32 = hn::FixedTag<int32_t, 16>;
using DF = hn::FixedTag<float, 16>;
using HalfD8 = hn::FixedTag<uint8_t, 32>;
using HalfD16 = hn::FixedTag<uint16_t, 16>;
using HalfDF = hn::FixedTag<float, 8>;
using V8 = hn::Vec<D8>;
using VF = hn::Vec<DF>;

// 32 bytes in both halves.
HWY_INLINE V8 twice(const uint8_t* p) {
  const auto half = hn::LoadU(HalfD8(), p);
  return hn::Combine(D8(), half, half);
}

// Pairs of bytes shifted by one count in the lower half and another in the upper; what crosses over between
// neighbours must be masked off.
template <int kLower, int kUpper>
HWY_INLINE V8 shift_right(V8 bytes) {
  const auto counts =
      hn::Combine(D16(), hn::Set(HalfD16(), uint16_t{kUpper}), hn::Set(HalfD16(), uint16_t{kLower}));
  return hn::BitCast(D8(), hn::Shr(hn::BitCast(D16(), bytes), counts));
}
template <int kLower, int kUpper>
HWY_INLINE V8 shift_left(V8 bytes) {
  const auto counts =
      hn::Combine(D16(), hn::Set(HalfD16(), uint16_t{kUpper}), hn::Set(HalfD16(), uint16_t{kLower}));
  return hn::BitCast(D8(), hn::Shl(hn::BitCast(D16(), bytes), counts));
}

// Factors of groups, spread over the 16 lanes of vector kVector of a block: kLanes lanes a group.
template <int kLanes, int kVector>
HWY_INLINE VF spread(VF factors) {
  struct Indices {
    constexpr Indices() {
      for (int i = 0; i < 16; ++i) lane[i] = kVector * (16 / kLanes) + i / kLanes;
    }
    alignas(64) int32_t lane[16] = {};
  };
  static constexpr Indices kIndices;
  return hn::TableLookupLanes(factors, hn::SetTableIndices(DF(), kIndices.lane));
}

// sum + factors · (weights · x), 64 products.
HWY_INLINE VF add_products(V8 weights, const int8_t* x, VF factors, VF sum) {
  const auto products = dot4(D32(), weights, hn::LoadU(DI8(), x), hn::Zero(D32()));
  return hn::MulAdd(hn::ConvertTo(DF(), products), factors, sum);
}

// What Q4_K and Q5_K share: the factors of the eight groups, and mins + dmin · Σ min · Σ x.
HWY_INLINE VF group_factors(const uint8_t* block, const Int8Row& x, int64_t first, hn::Vec<HalfDF>& mins) {
  const HalfDF df;
  const SixBits bits(block + 4);
  const auto scale = hn::Mul(hn::Set(df, half_at(block)), bytes_to_float(df, bits.scales, 0));
  const auto min = hn::Mul(hn::Set(df, half_at(block + 2)), bytes_to_float(df, bits.mins, 0));
  mins = hn::MulAdd(min, hn::LoadU(df, x.sum + first), mins);
  return hn::ZeroExtendVector(DF(), hn::Mul(scale, hn::LoadU(df, x.scale + first)));
}

// Low nibbles of 32 bytes, then their high nibbles: groups 2·kVector and 2·kVector + 1.
HWY_INLINE V8 nibbles(const uint8_t* packed) {
  return hn::And(shift_right<0, 4>(twice(packed)), hn::Set(D8(), uint8_t{0xF}));
}

HWY_INLINE float row_dot_q4_k(const uint8_t* w, int64_t k, const Int8Row& x) {
  VF even = hn::Zero(DF());
  VF odd = even;
  auto mins = hn::Zero(HalfDF());
  for (int64_t b = 0; b < k / 256; ++b, w += 144) {
    prefetch_ahead<144>(w);
    const VF factors = group_factors(w, x, 8 * b, mins);
    const uint8_t* q = w + 16;
    const int8_t* xq = x.q + 256 * b;
    even = add_products(nibbles(q), xq, spread<8, 0>(factors), even);
    odd = add_products(nibbles(q + 32), xq + 64, spread<8, 1>(factors), odd);
    even = add_products(nibbles(q + 64), xq + 128, spread<8, 2>(factors), even);
    odd = add_products(nibbles(q + 96), xq + 192, spread<8, 3>(factors), odd);
  }
  return hn::ReduceSum(DF(), hn::Add(even, odd)) - hn::ReduceSum(HalfDF(), mins);
}

HWY_INLINE float row_dot_q5_k(const uint8_t* w, int64_t k, const Int8Row& x) {
  const auto fifth = hn::Set(D8(), uint8_t{0x10});
  VF even = hn::Zero(DF());
  VF odd = even;
  auto mins = hn::Zero(HalfDF());
  for (int64_t b = 0; b < k / 256; ++b, w += 176) {
    prefetch_ahead<176>(w);
    const VF factors = group_factors(w, x, 8 * b, mins);
    const V8 high = twice(w + 16);  // bit g of a byte belongs to group g
    const uint8_t* q = w + 48;
    const int8_t* xq = x.q + 256 * b;
    const V8 q0 = hn::OrAnd(nibbles(q), shift_left<4, 3>(high), fifth);
    const V8 q1 = hn::OrAnd(nibbles(q + 32), shift_left<2, 1>(high), fifth);
    const V8 q2 = hn::OrAnd(nibbles(q + 64), shift_right<0, 1>(high), fifth);
    const V8 q3 = hn::OrAnd(nibbles(q + 96), shift_right<2, 3>(high), fifth);
    even = add_products(q0, xq, spread<8, 0>(factors), even);
    odd = add_products(q1, xq + 64, spread<8, 1>(factors), odd);
    even = add_products(q2, xq + 128, spread<8, 2>(factors), even);
    odd = add_products(q3, xq + 192, spread<8, 3>(factors), odd);
  }
  return hn::ReduceSum(DF(), hn::Add(even, odd)) - hn::ReduceSum(HalfDF(), mins);
}

// The factors of the sixteen groups of a Q6_K block, and offsets + Σ factor · Σ x.
HWY_INLINE VF factors_q6_k(const uint8_t* block, const Int8Row& x, int64_t first, VF& offsets) {
  const DF df;
  const D32 d32;
  const hn::Rebind<int8_t, D32> bytes;
  const hn::Rebind<int16_t, D32> words;
  const auto scales = hn::PromoteTo(d32, hn::LoadU(bytes, reinterpret_cast<const int8_t*>(block + 192)));
  const auto of_x = spread<2, 0>(hn::ZeroExtendVector(df, hn::LoadU(HalfDF(), x.scale + first)));
  const auto of_block = hn::Mul(hn::Set(df, half_at(block + 208)), of_x);
  const auto factors = hn::Mul(hn::ConvertTo(df, scales), of_block);
  const auto sums = hn::PromoteTo(d32, hn::LoadU(words, x.sum16 + 2 * first));
  offsets = hn::MulAdd(factors, hn::ConvertTo(df, sums), offsets);
  return factors;
}

HWY_INLINE float row_dot_q6_k(const uint8_t* w, int64_t k, const Int8Row& x) {
  const auto low_bits = hn::Set(D8(), uint8_t{0xF});
  const auto high_bits = hn::Set(D8(), uint8_t{0x30});
  VF even = hn::Zero(DF());
  VF odd = even;
  VF offsets = even;
  for (int64_t b = 0; b < k / 256; ++b, w += 210) {
    prefetch_ahead<210>(w);
    const VF factors = factors_q6_k(w, x, 8 * b, offsets);
    const int8_t* xq = x.q + 256 * b;
    const V8 low0 = hn::LoadU(D8(), w);
    const V8 low1 = hn::LoadU(D8(), w + 64);
    const V8 high0 = twice(w + 128);
    const V8 high1 = twice(w + 160);
    const V8 q0 = hn::OrAnd(hn::And(low0, low_bits), shift_left<4, 2>(high0), high_bits);
    const V8 q1 = hn::OrAnd(hn::ShiftRight<4>(low0), shift_right<0, 2>(high0), high_bits);
    const V8 q2 = hn::OrAnd(hn::And(low1, low_bits), shift_left<4, 2>(high1), high_bits);
    const V8 q3 = hn::OrAnd(hn::ShiftRight<4>(low1), shift_right<0, 2>(high1), high_bits);
    even = add_products(q0, xq, spread<4, 0>(factors), even);
    odd = add_products(q1, xq + 64, spread<4, 1>(factors), odd);
    even = add_products(q2, xq + 128, spread<4, 2>(factors), even);
    odd = add_products(q3, xq + 192, spread<4, 3>(factors), odd);
  }
  return hn::ReduceSum(DF(), hn::NegMulAdd(hn::Set(DF(), 32.0F), offsets, hn::Add(even, odd)));
}

}  // namespace wide
}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
