// add, mul, scale, unary, softcap, glu: one value in, one value out, bound by memory.
#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/ops/elementwise.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"
#include "plugins/cpu_simd/lanes-inl.h"
#include "plugins/cpu_simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

struct Sum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};

struct Product {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Mul(a, b);
  }
};

template <class Act>
struct Gated {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V gate, V up) const {
    return hn::Mul(Act{}(d, gate), up);
  }
};

struct Scaled {
  float factor;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, hn::Set(d, factor));
  }
};

struct Capped {
  float cap;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(hn::Set(d, cap), Tanh{}(d, hn::Div(x, hn::Set(d, cap))));
  }
};

// y[i] = f(x[i]) on one row.
template <class F>
struct RowMap {
  F f;
  void operator()(const std::array<float*, 2>& p, int64_t elements) const {
    for_each_vector(static_cast<size_t>(elements), [&](size_t i, auto lanes) HWY_ATTR {
      lanes.store(f(FloatTag(), lanes.load(p[1] + i)), p[0] + i);
    });
  }
};

// y[i] = f(a[i], b[i]) on one row.
template <class F>
struct RowMap2 {
  F f;
  void operator()(const std::array<float*, 3>& p, int64_t elements) const {
    for_each_vector(static_cast<size_t>(elements), [&](size_t i, auto lanes) HWY_ATTR {
      lanes.store(f(FloatTag(), lanes.load(p[1] + i), lanes.load(p[2] + i)), p[0] + i);
    });
  }
};

template <class F>
void map(const KernelArgs& args, F f) {
  const Rows<2> rows({&args.get(Role::kY), &args.get(Role::kX)}, RowKind::kLongest);
  rows.for_each(args.parallel, RowMap<F>{f});
}

template <class F>
void map2(const KernelArgs& args, Role a, Role b, F f) {
  const Rows<3> rows({&args.get(Role::kY), &args.get(a), &args.get(b)}, RowKind::kLongest);
  rows.for_each(args.parallel, RowMap2<F>{f});
}

void add(const KernelArgs& args) { map2(args, Role::kA, Role::kB, Sum{}); }
void mul(const KernelArgs& args) { map2(args, Role::kA, Role::kB, Product{}); }
void scale(const KernelArgs& args) { map(args, Scaled{static_cast<float>(args.real(Attr::kFactor))}); }
void softcap(const KernelArgs& args) { map(args, Capped{static_cast<float>(args.real(Attr::kFactor))}); }

void unary(const KernelArgs& args) {
  switch (args.word(Attr::kAct)) {
    case Word::kSilu: return map(args, Silu{});
    case Word::kGeluTanh: return map(args, GeluTanh{});
    case Word::kGeluErf: return map(args, GeluErf{});
    case Word::kSigmoid: return map(args, Sigmoid{});
    case Word::kSoftplus: return map(args, Softplus{});
    case Word::kRelu2: return map(args, Relu2{});
    case Word::kTanh: return map(args, Tanh{});
    default: return map(args, NegExp{});  // the last word that accepts() lets through
  }
}

void glu(const KernelArgs& args) {
  switch (args.word(Attr::kAct)) {
    case Word::kSilu: return map2(args, Role::kGate, Role::kUp, Gated<Silu>{});
    case Word::kGeluTanh: return map2(args, Role::kGate, Role::kUp, Gated<GeluTanh>{});
    default: return map2(args, Role::kGate, Role::kUp, Gated<GeluErf>{});
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {

HWY_EXPORT(add);
HWY_EXPORT(mul);
HWY_EXPORT(scale);
HWY_EXPORT(unary);
HWY_EXPORT(softcap);
HWY_EXPORT(glu);

void add(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(add)(args); }
void mul(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(mul)(args); }
void scale(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(scale)(args); }
void unary(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(unary)(args); }
void softcap(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(softcap)(args); }
void glu(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(glu)(args); }

}  // namespace aprx::cpu
#endif  // HWY_ONCE
