// Transcendental functions on vectors of F32, of any length. Not-a-number and infinities propagate as in the
// scalar definitions of docs/operators.md. Relative errors are a few units in the last place.
//
// The polynomials are minimax fits made for this file, in the variable and interval that each one names.
#include "hwy/highway.h"

#if defined(APRX_CPU_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_SIMD_MATH_INL_H_
#undef APRX_CPU_SIMD_MATH_INL_H_
#else
#define APRX_CPU_SIMD_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Comparisons are ordered so that a NaN keeps its place; Min and Max of some machines would drop it.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_most(D d, V x, float limit) {
  const V bound = hn::Set(d, limit);
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_least(D d, V x, float limit) {
  const V bound = hn::Set(d, limit);
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
}

// 2^n for n in -126 .. 127.
template <class D, class VI>
HWY_INLINE hn::Vec<D> power_of_two(D d, VI n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// e^x = 2^n e^r, r in ±ln(2)/2; e^r = 1 + r + r² P(r). ln 2 is taken off in two parts, the first exact in
// products with n. 2^n is applied in halves, so that subnormal results and infinity come out right.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  const V bounded = at_least(d, at_most(d, x, 89.0F), -104.0F);
  const auto n = hn::NearestInt(hn::Mul(bounded, hn::Set(d, 1.44269504F)));
  const V whole = hn::ConvertTo(d, n);
  V r = hn::NegMulAdd(whole, hn::Set(d, 0.693359375F), bounded);
  r = hn::NegMulAdd(whole, hn::Set(d, -2.12194440e-4F), r);
  V p = hn::MulAdd(hn::Set(d, 0.00138146104F), r, hn::Set(d, 0.00836871006F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0416683890F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.166665211F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.499999940F));
  p = hn::MulAdd(p, hn::Mul(r, r), hn::Add(r, hn::Set(d, 1.0F)));
  const auto half = hn::ShiftRight<1>(n);
  return hn::Mul(hn::Mul(p, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
}

// ln(1 + u) for u in 0 .. 1: with s = u/(2+u) it is 2 artanh(s) = 2s (1 + s² P(s²)), s² up to 1/9.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_of_unit(D d, V u) {
  const V s = hn::Div(u, hn::Add(u, hn::Set(d, 2.0F)));
  const V z = hn::Mul(s, s);
  V p = hn::MulAdd(hn::Set(d, 0.140122334F), z, hn::Set(d, 0.139995694F));
  p = hn::MulAdd(p, z, hn::Set(d, 0.200108498F));
  p = hn::MulAdd(p, z, hn::Set(d, 0.333332062F));
  const V twice = hn::Add(s, s);
  return hn::MulAdd(hn::Mul(twice, z), p, twice);
}

// erfc(a) for a ≥ 0: t e^(−a²) P(t), t = 1/(1 + a/2), t from 0.17 to 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V erfc_of_positive(D d, V a) {
  const V one = hn::Set(d, 1.0F);
  const V t = hn::Div(one, hn::MulAdd(a, hn::Set(d, 0.5F), one));
  V p = hn::MulAdd(hn::Set(d, -0.0588909127F), t, hn::Set(d, 0.283702582F));
  p = hn::MulAdd(p, t, hn::Set(d, -0.485384911F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.275979400F));
  p = hn::MulAdd(p, t, hn::Set(d, -0.0251784418F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.202070117F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.243260950F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.282353491F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.282087684F));
  return hn::Mul(hn::Mul(t, p), exp(d, hn::Neg(hn::Mul(a, a))));
}

// The activation functions, as objects so that loops can be written once for all.
struct Sigmoid {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    const V one = hn::Set(d, 1.0F);
    return hn::Div(one, hn::Add(one, exp(d, hn::Neg(x))));
  }
};

struct Silu {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(x, hn::Add(hn::Set(d, 1.0F), exp(d, hn::Neg(x))));
  }
};

// x/2 (1 + tanh u) = x · sigmoid(2u), which loses no digits where tanh is near -1.
struct GeluTanh {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    const V cubic = hn::MulAdd(hn::Mul(hn::Mul(x, x), x), hn::Set(d, 0.044715F), x);
    return hn::Mul(x, Sigmoid{}(d, hn::Mul(cubic, hn::Set(d, 1.59576912F))));
  }
};

struct GeluErf {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    const V half_tail =
        hn::Mul(hn::Set(d, 0.5F), erfc_of_positive(d, hn::Mul(hn::Abs(x), hn::Set(d, 0.707106781F))));
    const V share = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), half_tail, hn::Sub(hn::Set(d, 1.0F), half_tail));
    return hn::Mul(x, share);
  }
};

struct Softplus {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Add(at_least(d, x, 0.0F), log1p_of_unit(d, exp(d, hn::Neg(hn::Abs(x)))));
  }
};

struct Relu2 {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    const V positive = at_least(d, x, 0.0F);
    return hn::Mul(positive, positive);
  }
};

// Near zero x (1 + x² P(x²)), elsewhere 1 − 2/(e^2x + 1), which cancels where x is small.
struct Tanh {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    const V magnitude = hn::Abs(x);
    const V z = hn::Mul(x, x);
    V p = hn::MulAdd(hn::Set(d, -0.00571703678F), z, hn::Set(d, 0.0206505787F));
    p = hn::MulAdd(p, z, hn::Set(d, -0.0537434965F));
    p = hn::MulAdd(p, z, hn::Set(d, 0.133314908F));
    p = hn::MulAdd(p, z, hn::Set(d, -0.333332837F));
    const V near = hn::MulAdd(hn::Mul(magnitude, z), p, magnitude);
    const V one = hn::Set(d, 1.0F);
    const V power = exp(d, hn::Add(magnitude, magnitude));
    const V far = hn::Sub(one, hn::Div(hn::Set(d, 2.0F), hn::Add(power, one)));
    return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0.625F)), near, far), x);
  }
};

struct NegExp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Neg(exp(d, x));
  }
};

}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // APRX_CPU_SIMD_MATH_INL_H_
