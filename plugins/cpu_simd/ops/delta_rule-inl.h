// The gated delta rule on rows of one head's state. Row j of the state, dk floats, needs k, q, v[j], g and β
// alone:
//
//   S ← e^g·S + u·k      u = β·(v[j] − e^g·S·k)      y[j] = scale · S·q
//
// The pass over a row that applies token t also takes the product with the key of token t+1, so each token
// reads and writes a row once. Work: 4 operations a value and token.
#include "hwy/highway.h"
#include "plugins/cpu_simd/lanes-inl.h"

#if defined(APRX_CPU_SIMD_DELTA_RULE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_SIMD_DELTA_RULE_INL_H_
#undef APRX_CPU_SIMD_DELTA_RULE_INL_H_
#else
#define APRX_CPU_SIMD_DELTA_RULE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// One token as the rows of a head see it.
struct DeltaStep {
  const float* k;
  const float* q;
  const float* next_k;  // the key of the next token, or k again at the last one
  const float* v;       // of the first row
  float* y;             // of the first row
  float decay;          // e^g
  float beta;
  float scale;
};

HWY_INLINE float dot(const float* a, const float* b, size_t n) {
  Floats sum = hn::Zero(FloatTag());
  for_each_vector(
      n, [&](size_t i, auto lanes) HWY_ATTR { sum = hn::MulAdd(lanes.load(a + i), lanes.load(b + i), sum); });
  return hn::ReduceSum(FloatTag(), sum);
}

// What a row wants to change, from its product with the token's key.
HWY_INLINE float wanted(const DeltaStep& step, int64_t row, float product) {
  return step.beta * (step.v[row] - step.decay * product);
}

// Row `row`; products[row] is S·k before, S·next_k after.
HWY_INLINE void step_row(const DeltaStep& token, int64_t row, size_t n, float* s, float* products) {
  const FloatTag d;
  const Floats decay = hn::Set(d, token.decay);
  const Floats u = hn::Set(d, wanted(token, row, products[row]));
  Floats out = hn::Zero(d);
  Floats ahead = hn::Zero(d);
  for_each_vector(n, [&](size_t i, auto lanes) HWY_ATTR {
    const Floats value = hn::MulAdd(u, lanes.load(token.k + i), hn::Mul(decay, lanes.load(s + i)));
    lanes.store(value, s + i);
    out = hn::MulAdd(value, lanes.load(token.q + i), out);
    ahead = hn::MulAdd(value, lanes.load(token.next_k + i), ahead);
  });
  token.y[row] = token.scale * hn::ReduceSum(d, out);
  products[row] = hn::ReduceSum(d, ahead);
}

// Rows row .. row+3 at once, so that k, q and next_k are read once for four; n is a multiple of the vector.
HWY_INLINE void step_four_rows(const DeltaStep& token, int64_t row, size_t n, float* s, float* products) {
  const FloatTag d;
  const size_t step = hn::Lanes(d);
  float* s0 = s;
  float* s1 = s + n;
  float* s2 = s + 2 * n;
  float* s3 = s + 3 * n;
  const auto decay = hn::Set(d, token.decay);
  const auto u0 = hn::Set(d, wanted(token, row, products[row]));
  const auto u1 = hn::Set(d, wanted(token, row + 1, products[row + 1]));
  const auto u2 = hn::Set(d, wanted(token, row + 2, products[row + 2]));
  const auto u3 = hn::Set(d, wanted(token, row + 3, products[row + 3]));
  auto y0 = hn::Zero(d), y1 = y0, y2 = y0, y3 = y0, a0 = y0, a1 = y0, a2 = y0, a3 = y0;
  for (size_t i = 0; i < n; i += step) {
    const auto k = hn::LoadU(d, token.k + i);
    const auto q = hn::LoadU(d, token.q + i);
    const auto next_k = hn::LoadU(d, token.next_k + i);
    const auto v0 = hn::MulAdd(u0, k, hn::Mul(decay, hn::LoadU(d, s0 + i)));
    hn::StoreU(v0, d, s0 + i);
    y0 = hn::MulAdd(v0, q, y0);
    a0 = hn::MulAdd(v0, next_k, a0);
    const auto v1 = hn::MulAdd(u1, k, hn::Mul(decay, hn::LoadU(d, s1 + i)));
    hn::StoreU(v1, d, s1 + i);
    y1 = hn::MulAdd(v1, q, y1);
    a1 = hn::MulAdd(v1, next_k, a1);
    const auto v2 = hn::MulAdd(u2, k, hn::Mul(decay, hn::LoadU(d, s2 + i)));
    hn::StoreU(v2, d, s2 + i);
    y2 = hn::MulAdd(v2, q, y2);
    a2 = hn::MulAdd(v2, next_k, a2);
    const auto v3 = hn::MulAdd(u3, k, hn::Mul(decay, hn::LoadU(d, s3 + i)));
    hn::StoreU(v3, d, s3 + i);
    y3 = hn::MulAdd(v3, q, y3);
    a3 = hn::MulAdd(v3, next_k, a3);
  }
  token.y[row] = token.scale * hn::ReduceSum(d, y0);
  token.y[row + 1] = token.scale * hn::ReduceSum(d, y1);
  token.y[row + 2] = token.scale * hn::ReduceSum(d, y2);
  token.y[row + 3] = token.scale * hn::ReduceSum(d, y3);
  products[row] = hn::ReduceSum(d, a0);
  products[row + 1] = hn::ReduceSum(d, a1);
  products[row + 2] = hn::ReduceSum(d, a2);
  products[row + 3] = hn::ReduceSum(d, a3);
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // APRX_CPU_SIMD_DELTA_RULE_INL_H_
