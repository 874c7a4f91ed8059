// The inner loops of attention on a tile: scores of a block, weighted sums of its values, decoding of its
// rows. Rows are whole vectors long (AttentionPlan::row_stride), the rest of each is zero.
#include <algorithm>
#include <cstring>

#include "aprx/dtype/f16.hpp"
#include "aprx/dtype/q8_0.hpp"
#include "hwy/highway.h"
#include "plugins/cpu_simd/lanes-inl.h"
#include "plugins/cpu_simd/ops/attention_plan.h"

#if defined(APRX_CPU_SIMD_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_SIMD_ATTENTION_TILE_INL_H_
#undef APRX_CPU_SIMD_ATTENTION_TILE_INL_H_
#else
#define APRX_CPU_SIMD_ATTENTION_TILE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

using D = FloatTag;
using V = Floats;

inline constexpr int64_t kBlock = AttentionPlan::kBlock;

// Rows of keys or values of one head in F32, `count` of them.
struct BlockRows {
  const float* data;
  int64_t stride;
  int64_t count;
};

// Four query rows against the block, two keys at a time: scores[r][p] = q[r]·k[p].
HWY_INLINE void score_four_rows(const float* q, int64_t q_stride, int64_t padded_width, const BlockRows& keys,
                                float* scores) {
  const D d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t p = 0; p < keys.count; p += 2) {
    const float* k0 = keys.data + p * keys.stride;
    const float* k1 = keys.data + std::min(p + 1, keys.count - 1) * keys.stride;
    V a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (int64_t i = 0; i < padded_width; i += step) {
      const V ka = hn::LoadU(d, k0 + i);
      const V kb = hn::LoadU(d, k1 + i);
      const V q0 = hn::LoadU(d, q + i);
      const V q1 = hn::LoadU(d, q + q_stride + i);
      const V q2 = hn::LoadU(d, q + 2 * q_stride + i);
      const V q3 = hn::LoadU(d, q + 3 * q_stride + i);
      a0 = hn::MulAdd(q0, ka, a0);
      b0 = hn::MulAdd(q0, kb, b0);
      a1 = hn::MulAdd(q1, ka, a1);
      b1 = hn::MulAdd(q1, kb, b1);
      a2 = hn::MulAdd(q2, ka, a2);
      b2 = hn::MulAdd(q2, kb, b2);
      a3 = hn::MulAdd(q3, ka, a3);
      b3 = hn::MulAdd(q3, kb, b3);
    }
    scores[p] = hn::ReduceSum(d, a0);
    scores[p + 1] = hn::ReduceSum(d, b0);
    scores[kBlock + p] = hn::ReduceSum(d, a1);
    scores[kBlock + p + 1] = hn::ReduceSum(d, b1);
    scores[2 * kBlock + p] = hn::ReduceSum(d, a2);
    scores[2 * kBlock + p + 1] = hn::ReduceSum(d, b2);
    scores[3 * kBlock + p] = hn::ReduceSum(d, a3);
    scores[3 * kBlock + p + 1] = hn::ReduceSum(d, b3);
  }
}

HWY_INLINE void score_one_row(const float* q, int64_t padded_width, const BlockRows& keys, float* scores) {
  const D d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t p = 0; p < keys.count; p += 2) {
    const float* k0 = keys.data + p * keys.stride;
    const float* k1 = keys.data + std::min(p + 1, keys.count - 1) * keys.stride;
    V a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0;
    for (int64_t i = 0; i < padded_width; i += 2 * step) {
      const V q0 = hn::LoadU(d, q + i);
      const V q1 = hn::LoadU(d, q + i + step);
      a0 = hn::MulAdd(q0, hn::LoadU(d, k0 + i), a0);
      b0 = hn::MulAdd(q0, hn::LoadU(d, k1 + i), b0);
      a1 = hn::MulAdd(q1, hn::LoadU(d, k0 + i + step), a1);
      b1 = hn::MulAdd(q1, hn::LoadU(d, k1 + i + step), b1);
    }
    scores[p] = hn::ReduceSum(d, hn::Add(a0, a1));
    scores[p + 1] = hn::ReduceSum(d, hn::Add(b0, b1));
  }
}

// sums[r] = sums[r] · keep[r] + Σ_p weights[r][p] · v[p] for four rows.
HWY_INLINE void add_four_rows(const float* weights, const float* keep, int64_t padded_width,
                              const BlockRows& values, float* sums, int64_t sums_stride) {
  const D d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  float* s0 = sums;
  float* s1 = sums + sums_stride;
  float* s2 = sums + 2 * sums_stride;
  float* s3 = sums + 3 * sums_stride;
  for (int64_t i = 0; i < padded_width; i += 2 * step) {
    V a0 = hn::Mul(hn::LoadU(d, s0 + i), hn::Set(d, keep[0]));
    V b0 = hn::Mul(hn::LoadU(d, s0 + i + step), hn::Set(d, keep[0]));
    V a1 = hn::Mul(hn::LoadU(d, s1 + i), hn::Set(d, keep[1]));
    V b1 = hn::Mul(hn::LoadU(d, s1 + i + step), hn::Set(d, keep[1]));
    V a2 = hn::Mul(hn::LoadU(d, s2 + i), hn::Set(d, keep[2]));
    V b2 = hn::Mul(hn::LoadU(d, s2 + i + step), hn::Set(d, keep[2]));
    V a3 = hn::Mul(hn::LoadU(d, s3 + i), hn::Set(d, keep[3]));
    V b3 = hn::Mul(hn::LoadU(d, s3 + i + step), hn::Set(d, keep[3]));
    const float* v = values.data + i;
    for (int64_t p = 0; p < values.count; ++p, v += values.stride) {
      const V va = hn::LoadU(d, v);
      const V vb = hn::LoadU(d, v + step);
      const V w0 = hn::Set(d, weights[p]);
      a0 = hn::MulAdd(w0, va, a0);
      b0 = hn::MulAdd(w0, vb, b0);
      const V w1 = hn::Set(d, weights[kBlock + p]);
      a1 = hn::MulAdd(w1, va, a1);
      b1 = hn::MulAdd(w1, vb, b1);
      const V w2 = hn::Set(d, weights[2 * kBlock + p]);
      a2 = hn::MulAdd(w2, va, a2);
      b2 = hn::MulAdd(w2, vb, b2);
      const V w3 = hn::Set(d, weights[3 * kBlock + p]);
      a3 = hn::MulAdd(w3, va, a3);
      b3 = hn::MulAdd(w3, vb, b3);
    }
    hn::StoreU(a0, d, s0 + i);
    hn::StoreU(b0, d, s0 + i + step);
    hn::StoreU(a1, d, s1 + i);
    hn::StoreU(b1, d, s1 + i + step);
    hn::StoreU(a2, d, s2 + i);
    hn::StoreU(b2, d, s2 + i + step);
    hn::StoreU(a3, d, s3 + i);
    hn::StoreU(b3, d, s3 + i + step);
  }
}

HWY_INLINE void add_one_row(const float* weights, float keep, int64_t padded_width, const BlockRows& values,
                            float* sums) {
  const D d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < padded_width; i += 2 * step) {
    V a = hn::Mul(hn::LoadU(d, sums + i), hn::Set(d, keep));
    V b = hn::Mul(hn::LoadU(d, sums + i + step), hn::Set(d, keep));
    const float* v = values.data + i;
    for (int64_t p = 0; p < values.count; ++p, v += values.stride) {
      const V w = hn::Set(d, weights[p]);
      a = hn::MulAdd(w, hn::LoadU(d, v), a);
      b = hn::MulAdd(w, hn::LoadU(d, v + step), b);
    }
    hn::StoreU(a, d, sums + i);
    hn::StoreU(b, d, sums + i + step);
  }
}

// Halves to F32. Where the machine has no instruction for it, a half's bits, moved into place, are a float
// that is 2^-112 of its value; the product is exact, also for subnormals.
template <class DH>
HWY_INLINE V widen_half(D d, DH dh, const uint16_t* from) {
  const auto bits = hn::LoadU(dh, from);
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), bits));
#else
  const hn::RebindToUnsigned<D> du;
  const auto wide = hn::PromoteTo(du, bits);
  const auto magnitude = hn::And(wide, hn::Set(du, 0x7FFFU));
  const auto sign = hn::ShiftLeft<16>(hn::Sub(wide, magnitude));
  const V value = hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(magnitude)), hn::Set(d, 0x1p112F));
  // Exponent 31 is infinity or not a number.
  const auto special = hn::Gt(magnitude, hn::Set(du, 0x7BFFU));
  const auto result = hn::Or(hn::BitCast(du, value), hn::IfThenElseZero(special, hn::Set(du, 0x7F80'0000U)));
  return hn::BitCast(d, hn::Or(result, sign));
#endif
}

HWY_INLINE void decode_f16(const uint8_t* from, int64_t width, float* to) {
  const D d;
  const hn::Rebind<uint16_t, D> dh;
  const auto* halves = reinterpret_cast<const uint16_t*>(from);
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= width; i += step) hn::StoreU(widen_half(d, dh, halves + i), d, to + i);
  for (; i < width; ++i) to[i] = codec::f16_to_f32(halves[i]);
}

HWY_INLINE void decode_bf16(const uint8_t* from, int64_t width, float* to) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> dh;
  const auto* halves = reinterpret_cast<const uint16_t*>(from);
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= width; i += step) {
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(dh, halves + i)));
    hn::StoreU(hn::BitCast(d, bits), d, to + i);
  }
  for (; i < width; ++i) to[i] = codec::bf16_to_f32(halves[i]);
}

HWY_INLINE void decode_q8_0(const uint8_t* from, int64_t width, float* to) {
  using Block = codec::BlockQ8_0;
  const hn::CappedTag<float, Block::kElements> d;  // no vector is longer than a block
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<int8_t, decltype(d)> d8;
  const size_t step = hn::Lanes(d);
  const auto* blocks = reinterpret_cast<const Block*>(from);
  for (int64_t b = 0; b < width / Block::kElements; ++b, to += Block::kElements) {
    const auto scale = hn::Set(d, codec::load_f16(blocks[b].d));
    for (size_t i = 0; i < Block::kElements; i += step) {
      const auto steps = hn::LoadU(d8, reinterpret_cast<const int8_t*>(blocks[b].q) + i);
      hn::StoreU(hn::Mul(scale, hn::ConvertTo(d, hn::PromoteTo(di, steps))), d, to + i);
    }
  }
}

HWY_INLINE void decode_row(DType dtype, const uint8_t* from, int64_t width, float* to) {
  switch (dtype) {
    case DType::kF16: return decode_f16(from, width, to);
    case DType::kBF16: return decode_bf16(from, width, to);
    case DType::kQ8_0: return decode_q8_0(from, width, to);
    default: std::memcpy(to, from, static_cast<size_t>(width) * sizeof(float));
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // APRX_CPU_SIMD_ATTENTION_TILE_INL_H_
