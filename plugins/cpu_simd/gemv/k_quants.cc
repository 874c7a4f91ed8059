// Row dots of the dtypes with blocks of 256 weights: Q4_K, Q5_K and Q6_K. Layouts: aprx/dtype/q4_k.hpp and
// its neighbours.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/gemv/k_quants.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "plugins/cpu_simd/gemv/dot4-inl.h"
#include "plugins/cpu_simd/gemv/k_scales-inl.h"
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#include "plugins/cpu_simd/gemv/k_quants_512-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
using wide::row_dot_q4_k;
using wide::row_dot_q5_k;
using wide::row_dot_q6_k;
#else
// A vector holds at most the 32 weights that share a scale of the activations.
using D8 = hn::CappedTag<uint8_t, 32>;
using DI8 = hn::RebindToSigned<D8>;
using D16 = hn::Repartition<int16_t, D8>;
using DU16 = hn::RebindToUnsigned<D16>;
using D32 = hn::Repartition<int32_t, D8>;
using DF = hn::RebindToFloat<D32>;
using VF = hn::Vec<DF>;

// What Q4_K and Q5_K share: for each group of 32 the product of all its scales, and
// mins + dmin · Σ min · Σ x over the groups.
HWY_INLINE VF group_scales(const uint8_t* block, const Int8Row& x, int64_t first, float* scales, VF mins) {
  const DF df;
  const auto d = hn::Set(df, half_at(block));
  const auto dmin = hn::Set(df, half_at(block + 2));
  const SixBits bits(block + 4);
  for (size_t g = 0; g < 8; g += hn::Lanes(df)) {
    const auto scale = hn::Mul(d, bytes_to_float(df, bits.scales, g));
    const auto min = hn::Mul(dmin, bytes_to_float(df, bits.mins, g));
    hn::StoreU(hn::Mul(scale, hn::LoadU(df, x.scale + first + g)), df, scales + g);
    mins = hn::MulAdd(min, hn::LoadU(df, x.sum + first + g), mins);
  }
  return mins;
}

HWY_INLINE float row_dot_q4_k(const uint8_t* w, int64_t k, const Int8Row& x) {
  const D8 d8;
  const DI8 di8;
  const D32 d32;
  const DF df;
  const auto mask = hn::Set(d8, uint8_t{0xF});
  auto even = hn::Zero(df);
  auto odd = hn::Zero(df);
  auto mins = hn::Zero(df);
  for (int64_t b = 0; b < k / 256; ++b, w += 144) {
    prefetch_ahead<144>(w);
    HWY_ALIGN float scales[8];
    mins = group_scales(w, x, 8 * b, scales, mins);
    const uint8_t* q = w + 16;
    const int8_t* xq = x.q + 256 * b;
    for (int pair = 0; pair < 4; ++pair, q += 32, xq += 64) {
      auto low = hn::Zero(d32);
      auto high = hn::Zero(d32);
      for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
        const auto packed = hn::LoadU(d8, q + i);
        low = dot4(d32, hn::And(packed, mask), hn::LoadU(di8, xq + i), low);
        high = dot4(d32, hn::ShiftRight<4>(packed), hn::LoadU(di8, xq + 32 + i), high);
      }
      even = hn::MulAdd(hn::ConvertTo(df, low), hn::Set(df, scales[2 * pair]), even);
      odd = hn::MulAdd(hn::ConvertTo(df, high), hn::Set(df, scales[2 * pair + 1]), odd);
    }
  }
  return hn::ReduceSum(df, hn::Sub(hn::Add(even, odd), mins));
}

// Two groups of Q5_K, whose fifth bits are bits 2·kPair and 2·kPair + 1 of `high`.
template <int kPair>
HWY_INLINE void add_pair_q5_k(const uint8_t* q, const uint8_t* high, const int8_t* x, const float* scales,
                              VF& even, VF& odd) {
  const D8 d8;
  const DI8 di8;
  const D32 d32;
  const DF df;
  const auto mask = hn::Set(d8, uint8_t{0xF});
  auto first = hn::Zero(d32);
  auto second = hn::Zero(d32);
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
    const auto packed = hn::LoadU(d8, q + 32 * kPair + i);
    const auto bits = hn::LoadU(d8, high + i);
    const auto low = hn::Or(hn::And(packed, mask), bits_to<2 * kPair, 4, 1>(d8, bits));
    const auto top = hn::Or(hn::ShiftRight<4>(packed), bits_to<2 * kPair + 1, 4, 1>(d8, bits));
    first = dot4(d32, low, hn::LoadU(di8, x + 64 * kPair + i), first);
    second = dot4(d32, top, hn::LoadU(di8, x + 64 * kPair + 32 + i), second);
  }
  even = hn::MulAdd(hn::ConvertTo(df, first), hn::Set(df, scales[2 * kPair]), even);
  odd = hn::MulAdd(hn::ConvertTo(df, second), hn::Set(df, scales[2 * kPair + 1]), odd);
}

HWY_INLINE float row_dot_q5_k(const uint8_t* w, int64_t k, const Int8Row& x) {
  const DF df;
  auto even = hn::Zero(df);
  auto odd = hn::Zero(df);
  auto mins = hn::Zero(df);
  for (int64_t b = 0; b < k / 256; ++b, w += 176) {
    prefetch_ahead<176>(w);
    HWY_ALIGN float scales[8];
    mins = group_scales(w, x, 8 * b, scales, mins);
    const int8_t* xq = x.q + 256 * b;
    add_pair_q5_k<0>(w + 48, w + 16, xq, scales, even, odd);
    add_pair_q5_k<1>(w + 48, w + 16, xq, scales, even, odd);
    add_pair_q5_k<2>(w + 48, w + 16, xq, scales, even, odd);
    add_pair_q5_k<3>(w + 48, w + 16, xq, scales, even, odd);
  }
  return hn::ReduceSum(df, hn::Sub(hn::Add(even, odd), mins));
}

// Σ scale · (six bits) · x of quarter kQuarter (32 weights, two scales) of a half of a Q6_K block. The
// 8-bit scales multiply the 16-bit sums of pairs: 2 · 63 · 127 fits, and so does the sum of the products.
template <int kQuarter>
HWY_INLINE auto quarter_q6_k(const uint8_t* block, int half, const int8_t* x) {
  const D8 d8;
  const DI8 di8;
  const D16 d16;
  const D32 d32;
  const uint8_t* low = block + 64 * half;
  const uint8_t* high = block + 128 + 32 * half;
  auto sum = hn::Zero(d32);
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
    const auto packed = hn::LoadU(d8, low + 32 * (kQuarter % 2) + i);
    const auto scale = scales_of_16(d8, block + 192, 128 * static_cast<size_t>(half) + 32 * kQuarter + i);
    const auto nibble = kQuarter < 2 ? hn::And(packed, hn::Set(d8, uint8_t{0xF})) : hn::ShiftRight<4>(packed);
    const auto weight = hn::Or(nibble, bits_to<2 * kQuarter, 4, 3>(d8, hn::LoadU(d8, high + i)));
    const auto pairs = hn::SatWidenMulPairwiseAdd(d16, weight, hn::LoadU(di8, x + 32 * kQuarter + i));
    sum = hn::Add(sum, hn::WidenMulPairwiseAdd(d32, pairs, scale));
  }
  return sum;
}

// Σ scale · Σ x of 8 groups of 32 as one lane each, for the offset of 32: products of neighbours.
HWY_INLINE VF offsets_q6_k(const uint8_t* scales, const Int8Row& x, int64_t first, VF d, VF sum) {
  const DF df;
  const D32 d32;
  const D16 d16;
  const hn::Rebind<int8_t, D16> bytes;
  for (size_t g = 0; g < 8; g += hn::Lanes(df)) {
    const auto scale = hn::PromoteTo(d16, hn::LoadU(bytes, reinterpret_cast<const int8_t*>(scales) + 2 * g));
    const auto sums = hn::LoadU(d16, x.sum16 + 2 * (first + static_cast<int64_t>(g)));
    const auto products = hn::ConvertTo(df, hn::WidenMulPairwiseAdd(d32, scale, sums));
    const auto factors = hn::Mul(d, hn::LoadU(df, x.scale + first + g));
    sum = hn::MulAdd(products, factors, sum);
  }
  return sum;
}

HWY_INLINE float row_dot_q6_k(const uint8_t* w, int64_t k, const Int8Row& x) {
  const DF df;
  auto even = hn::Zero(df);
  auto odd = hn::Zero(df);
  auto offsets = hn::Zero(df);
  for (int64_t b = 0; b < k / 256; ++b, w += 210) {
    prefetch_ahead<210>(w);
    const float d = half_at(w + 208);
    offsets = offsets_q6_k(w + 192, x, 8 * b, hn::Set(df, d), offsets);
    for (int half = 0; half < 2; ++half) {
      const int8_t* xq = x.q + 256 * b + 128 * half;
      const float* xs = x.scale + 8 * b + 4 * half;
      even = hn::MulAdd(hn::ConvertTo(df, quarter_q6_k<0>(w, half, xq)), hn::Set(df, d * xs[0]), even);
      odd = hn::MulAdd(hn::ConvertTo(df, quarter_q6_k<1>(w, half, xq)), hn::Set(df, d * xs[1]), odd);
      even = hn::MulAdd(hn::ConvertTo(df, quarter_q6_k<2>(w, half, xq)), hn::Set(df, d * xs[2]), even);
      odd = hn::MulAdd(hn::ConvertTo(df, quarter_q6_k<3>(w, half, xq)), hn::Set(df, d * xs[3]), odd);
    }
  }
  return hn::ReduceSum(df, hn::NegMulAdd(hn::Set(df, 32.0F), offsets, hn::Add(even, odd)));
}

#endif  // vectors of 64 bytes

void rows_q4_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  for_each_pair(w, begin, end, x, out, row_dot_q4_k);
}
void rows_q5_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  for_each_pair(w, begin, end, x, out, row_dot_q5_k);
}
void rows_q6_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  for_each_pair(w, begin, end, x, out, row_dot_q6_k);
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(rows_q4_k);
HWY_EXPORT(rows_q5_k);
HWY_EXPORT(rows_q6_k);
}  // namespace

void dots_q4_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_q4_k)(w, begin, end, x, out);
}
void dots_q5_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_q5_k)(w, begin, end, x, out);
}
void dots_q6_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_q6_k)(w, begin, end, x, out);
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
