#include "plugins/cpu_simd/gemv/float_dots.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/gemv/float_dots.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "hwy/cache_control.h"
#include "plugins/cpu_simd/gemv/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

HWY_INLINE VF load(const float* p) { return hn::LoadU(DF(), p); }
HWY_INLINE VF load_part(const float* p, size_t n) { return hn::LoadN(DF(), p, n); }

using Half = hwy::float16_t;
HWY_INLINE VF load(const Half* p) { return widen_half(DF(), hn::LoadU(hn::Rebind<Half, DF>(), p)); }
HWY_INLINE VF load_part(const Half* p, size_t n) {
  return widen_half(DF(), hn::LoadN(hn::Rebind<Half, DF>(), p, n));
}

using Brain = hwy::bfloat16_t;
HWY_INLINE VF load(const Brain* p) { return hn::PromoteTo(DF(), hn::LoadU(hn::Rebind<Brain, DF>(), p)); }
HWY_INLINE VF load_part(const Brain* p, size_t n) {
  return hn::PromoteTo(DF(), hn::LoadN(hn::Rebind<Brain, DF>(), p, n));
}

template <class T>
HWY_INLINE float row_dot(const T* w, int64_t k, const float* x) {
  const DF df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  auto a = hn::Zero(df);
  auto b = hn::Zero(df);
  auto c = hn::Zero(df);
  auto d = hn::Zero(df);
  int64_t i = 0;
  for (; i + 4 * lanes <= k; i += 4 * lanes) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(w + i);
    const int64_t step = 4 * lanes * static_cast<int64_t>(sizeof(T));
    for (int64_t line = 0; line < step; line += 64) hwy::Prefetch(bytes + 4096 + line);
    a = hn::MulAdd(load(w + i), load(x + i), a);
    b = hn::MulAdd(load(w + i + lanes), load(x + i + lanes), b);
    c = hn::MulAdd(load(w + i + 2 * lanes), load(x + i + 2 * lanes), c);
    d = hn::MulAdd(load(w + i + 3 * lanes), load(x + i + 3 * lanes), d);
  }
  for (; i + lanes <= k; i += lanes) a = hn::MulAdd(load(w + i), load(x + i), a);
  if (i < k) {
    const auto rest = static_cast<size_t>(k - i);
    b = hn::MulAdd(load_part(w + i, rest), load_part(x + i, rest), b);
  }
  return hn::ReduceSum(df, hn::Add(hn::Add(a, b), hn::Add(c, d)));
}

template <class T>
void rows_of(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out) {
  for (int64_t r = begin; r < end; ++r) {
    const T* row = reinterpret_cast<const T*>(w.row(r));
    for (int64_t t = 0; t < x.rows; ++t) out.y[t * out.stride + r] = row_dot(row, w.k, x.row(t));
  }
}

void rows_f32(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out) {
  rows_of<float>(w, begin, end, x, out);
}
void rows_f16(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out) {
  rows_of<Half>(w, begin, end, x, out);
}
void rows_bf16(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out) {
  rows_of<Brain>(w, begin, end, x, out);
}

template <class T>
HWY_INLINE void widen(const uint8_t* src, int64_t elements, float* dst) {
  const DF df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  const auto* values = reinterpret_cast<const T*>(src);
  int64_t i = 0;
  for (; i + lanes <= elements; i += lanes) hn::StoreU(load(values + i), df, dst + i);
  const auto rest = static_cast<size_t>(elements - i);
  if (rest > 0) hn::StoreN(load_part(values + i, rest), df, dst + i, rest);
}

void widen_halves(const uint8_t* src, int64_t elements, float* dst) { widen<Half>(src, elements, dst); }
void widen_brains(const uint8_t* src, int64_t elements, float* dst) { widen<Brain>(src, elements, dst); }

// Two rows of weights and four of activations: y[c][0..1].
struct Tile {
  const float* w0;
  const float* w1;
  const float* x0;
  const float* x1;
  const float* x2;
  const float* x3;
};

void multiply_tile(const Tile& p, int64_t k, float* y) {
  const DF df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  auto a0 = hn::Zero(df), a1 = hn::Zero(df), a2 = hn::Zero(df), a3 = hn::Zero(df);
  auto b0 = hn::Zero(df), b1 = hn::Zero(df), b2 = hn::Zero(df), b3 = hn::Zero(df);
  const auto step = [&](VF w0, VF w1, VF x0, VF x1, VF x2, VF x3) HWY_ATTR {
    a0 = hn::MulAdd(w0, x0, a0);
    b0 = hn::MulAdd(w1, x0, b0);
    a1 = hn::MulAdd(w0, x1, a1);
    b1 = hn::MulAdd(w1, x1, b1);
    a2 = hn::MulAdd(w0, x2, a2);
    b2 = hn::MulAdd(w1, x2, b2);
    a3 = hn::MulAdd(w0, x3, a3);
    b3 = hn::MulAdd(w1, x3, b3);
  };
  int64_t i = 0;
  for (; i + lanes <= k; i += lanes) {
    step(load(p.w0 + i), load(p.w1 + i), load(p.x0 + i), load(p.x1 + i), load(p.x2 + i), load(p.x3 + i));
  }
  if (i < k) {
    const auto rest = static_cast<size_t>(k - i);
    step(load_part(p.w0 + i, rest), load_part(p.w1 + i, rest), load_part(p.x0 + i, rest),
         load_part(p.x1 + i, rest), load_part(p.x2 + i, rest), load_part(p.x3 + i, rest));
  }
  y[0] = hn::ReduceSum(df, a0);
  y[1] = hn::ReduceSum(df, b0);
  y[2] = hn::ReduceSum(df, a1);
  y[3] = hn::ReduceSum(df, b1);
  y[4] = hn::ReduceSum(df, a2);
  y[5] = hn::ReduceSum(df, b2);
  y[6] = hn::ReduceSum(df, a3);
  y[7] = hn::ReduceSum(df, b3);
}

// Rows past the end repeat the last one; their sums are not stored.
void multiply(const float* w, int64_t rows, int64_t k, const FloatRows& x, const Output& out) {
  for (int64_t t = 0; t < x.rows; t += 4) {
    const int64_t columns = std::min<int64_t>(4, x.rows - t);
    const auto column = [&](int64_t c) { return x.row(t + std::min(c, columns - 1)); };
    for (int64_t r = 0; r < rows; r += 2) {
      const int64_t pair = std::min<int64_t>(2, rows - r);
      float y[8];
      multiply_tile({w + r * k, w + (r + pair - 1) * k, column(0), column(1), column(2), column(3)}, k, y);
      for (int64_t c = 0; c < columns; ++c) {
        for (int64_t i = 0; i < pair; ++i) out.y[(t + c) * out.stride + r + i] = y[2 * c + i];
      }
    }
  }
}

int64_t vector_bytes() { return static_cast<int64_t>(hn::Lanes(DF()) * sizeof(float)); }

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(rows_f32);
HWY_EXPORT(rows_f16);
HWY_EXPORT(rows_bf16);
HWY_EXPORT(widen_halves);
HWY_EXPORT(widen_brains);
HWY_EXPORT(multiply);
HWY_EXPORT(vector_bytes);
}  // namespace

void dots_f32(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_f32)(w, begin, end, x, out);
}
void dots_f16(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_f16)(w, begin, end, x, out);
}
void dots_bf16(const PackedRows& w, int64_t begin, int64_t end, const FloatRows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(rows_bf16)(w, begin, end, x, out);
}
void widen_f16(const uint8_t* src, int64_t elements, float* dst) {
  HWY_DYNAMIC_DISPATCH(widen_halves)(src, elements, dst);
}
void widen_bf16(const uint8_t* src, int64_t elements, float* dst) {
  HWY_DYNAMIC_DISPATCH(widen_brains)(src, elements, dst);
}
void multiply_f32(const float* w, int64_t rows, int64_t k, const FloatRows& x, const Output& out) {
  HWY_DYNAMIC_DISPATCH(multiply)(w, rows, k, x, out);
}
int64_t float_vector_bytes() { return HWY_DYNAMIC_DISPATCH(vector_bytes)(); }

}  // namespace aprx::cpu
#endif  // HWY_ONCE
