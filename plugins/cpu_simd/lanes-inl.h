// Loops over F32 rows of any length: whole vectors, then what is left. Partial loads and stores are slow on
// many machines, so they are kept out of the loop; the body is written once for both:
//
//   for_each_vector(n, [&](size_t i, auto lanes) HWY_ATTR { lanes.store(f(lanes.load(x + i)), y + i); });
#include "hwy/highway.h"

#if defined(APRX_CPU_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_SIMD_LANES_INL_H_
#undef APRX_CPU_SIMD_LANES_INL_H_
#else
#define APRX_CPU_SIMD_LANES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatTag>;

// A whole vector.
struct AllLanes {
  HWY_INLINE Floats load(const float* p) const { return hn::LoadU(FloatTag(), p); }
  HWY_INLINE void store(Floats v, float* p) const { hn::StoreU(v, FloatTag(), p); }
};

// The first `count` lanes; the others load as zero and aren't stored.
struct FirstLanes {
  size_t count;
  HWY_INLINE Floats load(const float* p) const { return hn::LoadN(FloatTag(), p, count); }
  HWY_INLINE void store(Floats v, float* p) const { hn::StoreN(v, FloatTag(), p, count); }
};

template <class Body>
HWY_INLINE void for_each_vector(size_t n, const Body& body) {
  const size_t step = hn::Lanes(FloatTag());
  size_t i = 0;
  for (; i + step <= n; i += step) body(i, AllLanes{});
  if (i < n) body(i, FirstLanes{n - i});
}

}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // APRX_CPU_SIMD_LANES_INL_H_
