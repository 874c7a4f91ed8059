// rms_norm, l2_norm, gated_rms_norm: each row is read twice, the second time from cache.
#include <cmath>

#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/ops/norm.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"
#include "plugins/cpu_simd/lanes-inl.h"
#include "plugins/cpu_simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// Σ x². Four sums hide the latency of the additions.
HWY_INLINE float sum_of_squares(const float* x, size_t n) {
  const FloatTag d;
  const size_t step = hn::Lanes(d);
  Floats sum0 = hn::Zero(d);
  Floats sum1 = hn::Zero(d);
  Floats sum2 = hn::Zero(d);
  Floats sum3 = hn::Zero(d);
  const auto square = [](Floats v, Floats sum) HWY_ATTR { return hn::MulAdd(v, v, sum); };
  size_t i = 0;
  for (; i + 4 * step <= n; i += 4 * step) {
    sum0 = square(hn::LoadU(d, x + i), sum0);
    sum1 = square(hn::LoadU(d, x + i + step), sum1);
    sum2 = square(hn::LoadU(d, x + i + 2 * step), sum2);
    sum3 = square(hn::LoadU(d, x + i + 3 * step), sum3);
  }
  for (; i + step <= n; i += step) sum0 = square(hn::LoadU(d, x + i), sum0);
  if (i < n) sum1 = square(hn::LoadN(d, x + i, n - i), sum1);
  return hn::ReduceSum(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)));
}

// y = x · factor · w, or x · factor without w.
HWY_INLINE void scale_row(const float* x, float factor, const float* w, float* y, size_t n) {
  const Floats all = hn::Set(FloatTag(), factor);
  for_each_vector(n, [&](size_t i, auto lanes) HWY_ATTR {
    const Floats scaled = hn::Mul(lanes.load(x + i), all);
    lanes.store(w == nullptr ? scaled : hn::Mul(scaled, lanes.load(w + i)), y + i);
  });
}

// y = x · act(z)
template <class Act>
HWY_INLINE void gate_row(const float* x, const float* z, float* y, size_t n) {
  for_each_vector(n, [&](size_t i, auto lanes) HWY_ATTR {
    lanes.store(hn::Mul(lanes.load(x + i), Act{}(FloatTag(), lanes.load(z + i))), y + i);
  });
}

HWY_INLINE float rms_factor(const float* x, size_t n, double eps) {
  return static_cast<float>(1.0 / std::sqrt(sum_of_squares(x, n) / static_cast<double>(n) + eps));
}

struct RmsRow {
  const float* w;
  double eps;
  void operator()(const std::array<float*, 2>& p, int64_t elements) const {
    const auto n = static_cast<size_t>(elements);
    scale_row(p[1], rms_factor(p[1], n, eps), w, p[0], n);
  }
};

struct L2Row {
  double eps;
  void operator()(const std::array<float*, 2>& p, int64_t elements) const {
    const auto n = static_cast<size_t>(elements);
    const double sum = sum_of_squares(p[1], n);
    scale_row(p[1], static_cast<float>(1.0 / std::sqrt(sum + eps)), nullptr, p[0], n);
  }
};

template <class Act>
struct GatedRow {
  const float* w;
  double eps;
  bool gate_first;
  void operator()(const std::array<float*, 3>& p, int64_t elements) const {
    const auto n = static_cast<size_t>(elements);
    if (gate_first) {
      gate_row<Act>(p[1], p[2], p[0], n);
      scale_row(p[0], rms_factor(p[0], n, eps), w, p[0], n);
      return;
    }
    gate_and_scale(p, rms_factor(p[1], n, eps), n);
  }

 private:
  // y = x · factor · w · act(z) in one pass, so that y may be x or z.
  void gate_and_scale(const std::array<float*, 3>& p, float factor, size_t n) const {
    const Floats all = hn::Set(FloatTag(), factor);
    for_each_vector(n, [&](size_t i, auto lanes) HWY_ATTR {
      const Floats scaled = hn::Mul(lanes.load(p[1] + i), hn::Mul(all, lanes.load(w + i)));
      lanes.store(hn::Mul(scaled, Act{}(FloatTag(), lanes.load(p[2] + i))), p[0] + i);
    });
  }
};

void rms_norm(const KernelArgs& args) {
  const TensorView* w = args.find(Role::kW);
  const Rows<2> rows({&args.get(Role::kY), &args.get(Role::kX)}, RowKind::kLastAxis);
  rows.for_each_row(args.parallel, RmsRow{w == nullptr ? nullptr : w->f32(), args.real(Attr::kEps)});
}

void l2_norm(const KernelArgs& args) {
  const Rows<2> rows({&args.get(Role::kY), &args.get(Role::kX)}, RowKind::kLastAxis);
  rows.for_each_row(args.parallel, L2Row{args.real(Attr::kEps)});
}

template <class Act>
void gated_norm(const KernelArgs& args) {
  const Rows<3> rows({&args.get(Role::kY), &args.get(Role::kX), &args.get(Role::kZ)}, RowKind::kLastAxis);
  const bool gate_first = args.word(Attr::kOrder) == Word::kGateFirst;
  rows.for_each_row(args.parallel,
                    GatedRow<Act>{args.get(Role::kW).f32(), args.real(Attr::kEps), gate_first});
}

void gated_rms_norm(const KernelArgs& args) {
  if (args.word(Attr::kAct) == Word::kSigmoid) return gated_norm<Sigmoid>(args);
  gated_norm<Silu>(args);
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {

HWY_EXPORT(rms_norm);
HWY_EXPORT(l2_norm);
HWY_EXPORT(gated_rms_norm);

void rms_norm(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(rms_norm)(args); }
void l2_norm(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(l2_norm)(args); }
void gated_rms_norm(const KernelArgs& args) { HWY_DYNAMIC_DISPATCH(gated_rms_norm)(args); }

}  // namespace aprx::cpu
#endif  // HWY_ONCE
