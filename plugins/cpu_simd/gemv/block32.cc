// Row dots of the dtypes with blocks of 32 weights: Q8_0 and Q4_0.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/gemv/block32.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "plugins/cpu_simd/gemv/dot4-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// A vector holds at most one block.
using D8 = hn::CappedTag<uint8_t, 32>;
using DI8 = hn::RebindToSigned<D8>;
using D32 = hn::Repartition<int32_t, D8>;
using DF = hn::RebindToFloat<D32>;

// 34 bytes: half d, then 32 signed weights.
HWY_INLINE auto block_dot_q8_0(const uint8_t* block, const int8_t* x) {
  const DI8 di8;
  const D32 d32;
  const auto* q = reinterpret_cast<const int8_t*>(block + 2);
  auto sum = hn::Zero(d32);
  for (size_t i = 0; i < 32; i += hn::Lanes(di8)) {
    sum = dot4_signed(d32, hn::LoadU(di8, q + i), hn::LoadU(di8, x + i), sum);
  }
  return sum;
}

HWY_INLINE float row_dot_q8_0(const uint8_t* w, int64_t k, const Int8Row& x) {
  const DF df;
  auto even = hn::Zero(df);
  auto odd = hn::Zero(df);
  const int64_t blocks = k / 32;
  int64_t b = 0;
  for (; b + 2 <= blocks; b += 2, w += 2 * 34) {
    prefetch_ahead<2 * 34>(w);
    const auto first = hn::ConvertTo(df, block_dot_q8_0(w, x.q + 32 * b));
    const auto second = hn::ConvertTo(df, block_dot_q8_0(w + 34, x.q + 32 * b + 32));
    even = hn::MulAdd(first, hn::Set(df, half_at(w) * x.scale[b]), even);
    odd = hn::MulAdd(second, hn::Set(df, half_at(w + 34) * x.scale[b + 1]), odd);
  }
  if (b < blocks) {
    const auto last = hn::ConvertTo(df, block_dot_q8_0(w, x.q + 32 * b));
    even = hn::MulAdd(last, hn::Set(df, half_at(w) * x.scale[b]), even);
  }
  return hn::ReduceSum(df, hn::Add(even, odd));
}

// The nibbles of a block lie in 16 bytes; where vectors are longer, both halves go into one.
#if HWY_HAVE_SCALABLE || HWY_MAX_BYTES < 32
using DN32 = hn::CappedTag<int32_t, 4>;
#else
using DN32 = D32;
#endif
using DNF = hn::RebindToFloat<DN32>;

// 18 bytes: half d, then 16 bytes whose low nibbles are weights 0..15 and high nibbles 16..31, plus 8.
HWY_INLINE hn::Vec<DN32> block_dot_q4_0(const uint8_t* block, const int8_t* x) {
  const DN32 d32;
  const hn::Repartition<int8_t, DN32> di8;
  const hn::CappedTag<uint8_t, 16> d8;
  const auto packed = hn::LoadU(d8, block + 2);
  const auto low = hn::And(packed, hn::Set(d8, uint8_t{0xF}));
  const auto high = hn::ShiftRight<4>(packed);
#if HWY_HAVE_SCALABLE || HWY_MAX_BYTES < 32
  const auto sum = dot4(d32, low, hn::LoadU(di8, x), hn::Zero(d32));
  return dot4(d32, high, hn::LoadU(di8, x + 16), sum);
#else
  return dot4(d32, hn::Combine(D8(), high, low), hn::LoadU(di8, x), hn::Zero(d32));
#endif
}

HWY_INLINE float row_dot_q4_0(const uint8_t* w, int64_t k, const Int8Row& x) {
  const DNF df;
  auto even = hn::Zero(df);
  auto odd = hn::Zero(df);
  float offset_even = 0;
  float offset_odd = 0;
  const int64_t blocks = k / 32;
  int64_t b = 0;
  for (; b + 2 <= blocks; b += 2, w += 2 * 18) {
    prefetch_ahead<2 * 18>(w);
    const float d0 = half_at(w);
    const float d1 = half_at(w + 18);
    const auto first = hn::ConvertTo(df, block_dot_q4_0(w, x.q + 32 * b));
    const auto second = hn::ConvertTo(df, block_dot_q4_0(w + 18, x.q + 32 * b + 32));
    even = hn::MulAdd(first, hn::Set(df, d0 * x.scale[b]), even);
    odd = hn::MulAdd(second, hn::Set(df, d1 * x.scale[b + 1]), odd);
    offset_even += d0 * x.sum[b];
    offset_odd += d1 * x.sum[b + 1];
  }
  if (b < blocks) {
    const float d = half_at(w);
    even = hn::MulAdd(hn::ConvertTo(df, block_dot_q4_0(w, x.q + 32 * b)), hn::Set(df, d * x.scale[b]), even);
    offset_even += d * x.sum[b];
  }
  return hn::ReduceSum(df, hn::Add(even, odd)) - 8.0F * (offset_even + offset_odd);
}

void rows_q8_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  for_each_pair(w, begin, end, x, out, row_dot_q8_0);
}
void rows_q4_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  for_each_pair(w, begin, end, x, out, row_dot_q4_0);
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(rows_q8_0);
HWY_EXPORT(rows_q4_0);
}  // namespace

void dots_q8_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_q8_0)(w, begin, end, x, out);
}
void dots_q4_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_q4_0)(w, begin, end, x, out);
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
