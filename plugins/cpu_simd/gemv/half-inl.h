// Halves to floats, exactly and with infinities and NaN, on every target. Included once for each Highway
// target.

#if defined(APRX_CPU_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_HALF_INL_H_
#undef APRX_CPU_HALF_INL_H_
#else
#define APRX_CPU_HALF_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class DF>
HWY_INLINE hn::Vec<DF> widen_half(DF df, hn::Vec<hn::Rebind<hwy::float16_t, DF>> half) {
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2
  // Without F16C, Highway widens infinities and NaN to finite values. Here the exponent is moved by a
  // product, which is exact and serves subnormals too; the largest exponent becomes the largest of floats.
  const hn::RebindToUnsigned<DF> d32;
  const hn::Rebind<uint16_t, DF> d16;
  const auto bits = hn::PromoteTo(d32, hn::BitCast(d16, half));
  const auto magnitude = hn::And(bits, hn::Set(d32, 0x7FFFU));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  const auto moved = hn::Mul(hn::BitCast(df, hn::ShiftLeft<13>(magnitude)), hn::Set(df, 0x1p112F));
  const auto is_special = hn::Gt(magnitude, hn::Set(d32, 0x7BFFU));
  const auto special = hn::IfThenElseZero(is_special, hn::Set(d32, 0x7F80'0000U));
  return hn::BitCast(df, hn::Or(hn::Or(hn::BitCast(d32, moved), special), sign));
#else
  return hn::PromoteTo(df, half);
#endif
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
