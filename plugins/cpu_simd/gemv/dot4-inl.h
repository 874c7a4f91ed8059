// What the integer dots share: products of four neighbouring bytes summed into a 32-bit lane, scales
// read from blocks, and the loop over rows. Included once for each Highway target.

#if defined(APRX_CPU_DOT4_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_DOT4_INL_H_
#undef APRX_CPU_DOT4_INL_H_
#else
#define APRX_CPU_DOT4_INL_H_
#endif

#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "plugins/cpu_simd/gemv/half-inl.h"
#include "plugins/cpu_simd/gemv/int8_dots.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Whether the target multiplies and sums four bytes in one step (VNNI).
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
inline constexpr bool kHasDot4 = true;
#else
inline constexpr bool kHasDot4 = false;
#endif

// sum + Σ of 4 products w·x a lane. Without VNNI pairs of products are summed in 16 bits first, which
// saturate: exact for w ≤ 128 and |x| ≤ 127, as 2 · 128 · 127 < 2^15.
template <class D32, class VW, class VX>
HWY_INLINE hn::Vec<D32> dot4(D32 d32, VW w, VX x, hn::Vec<D32> sum) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
  // From the intrinsic, GCC copies each sum before and after: twice as many instructions in a tile.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(w.raw), "v"(x.raw));
  return sum;
#else
  if constexpr (kHasDot4) {
    return hn::SumOfMulQuadAccumulate(d32, w, x, sum);
  } else {
    const hn::Repartition<int16_t, D32> d16;
    const auto pairs = hn::SatWidenMulPairwiseAdd(d16, w, x);
    return hn::Add(sum, hn::WidenMulPairwiseAdd(d32, pairs, hn::Set(d16, int16_t{1})));
  }
#endif
}

// The same for signed weights: |w| times x with the sign of w.
template <class D32, class VW>
HWY_INLINE hn::Vec<D32> dot4_signed(D32 d32, VW w, VW x, hn::Vec<D32> sum) {
  const hn::Repartition<uint8_t, D32> d8;
  return dot4(d32, hn::BitCast(d8, hn::Abs(w)), hn::IfNegativeThenNegOrUndefIfZero(w, x), sum);
}

// The half at `p` as a float.
HWY_INLINE float half_at(const uint8_t* p) {
  const hn::CappedTag<float, 1> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  hwy::float16_t half;
  std::memcpy(&half, p, sizeof half);
  return hn::GetLane(widen_half(d, hn::LoadU(d16, &half)));
}

// Asks for the lines of a block that lies 4 KB ahead. Rows follow each other, so this also fetches the
// start of the next rows; a hint for an address past the mapping does nothing.
HWY_INLINE void prefetch_ahead(const uint8_t* block, int64_t bytes) {
  constexpr int kAhead = 4096;
  for (int64_t line = 0; line < bytes; line += 64) hwy::Prefetch(block + kAhead + line);
}

template <int kBytes>
HWY_INLINE void prefetch_ahead(const uint8_t* block) {
  prefetch_ahead(block, kBytes);
}

// Applies a row dot to every pair of rows; a weight row stays in the cache for all rows of `x`.
template <class RowDot>
HWY_INLINE void for_each_pair(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
                              const Output& out, const RowDot& row_dot) {
  for (int64_t r = begin; r < end; ++r) {
    for (int64_t t = 0; t < x.rows(); ++t) out.y[t * out.stride + r] = row_dot(w.row(r), w.k, x.row(t));
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
