// What unpackers share: the loop over blocks, fields to bytes in the order of k, and factors. Included once
// for each Highway target.

#if defined(APRX_CPU_UNPACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_UNPACK_INL_H_
#undef APRX_CPU_UNPACK_INL_H_
#else
#define APRX_CPU_UNPACK_INL_H_
#endif

#include "aprx/dtype/bytes.hpp"
#include "hwy/highway.h"
#include "plugins/cpu_simd/gemv/dot4-inl.h"
#include "plugins/cpu_simd/gemv/k_scales-inl.h"
#include "plugins/cpu_simd/unpack/byte_form.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DHalf = hn::CappedTag<uint8_t, 16>;   // half of the 32 weights that meet one scale of activations
using DBlock = hn::CappedTag<uint8_t, 32>;  // all of them, where vectors are that long

// Where one block goes. Factors of the second half of 32 weights lie kSecondHalf on.
struct Slot {
  uint8_t* q;
  float* scale;
  float* min;
};
inline constexpr int kSecondHalf = Run::kBlocks;

// Applies unpack(block, slot) to all blocks of a run.
template <DType kDType, auto unpack>
void unpack_blocks(const uint8_t* blocks, int64_t elements, Run& run) {
  constexpr DTypeInfo kInfo = dtype_info(kDType);
  for (int64_t first = 0; first < elements; first += kInfo.block_elements, blocks += kInfo.block_bytes) {
    unpack(blocks, Slot{run.q + first, run.scale[0] + first / 32, run.min[0] + first / 32});
  }
}

// Stores 32 bytes at once where vectors are that long: the dot loads them so, and a load doesn't get at two
// smaller stores.
template <class V>
HWY_INLINE void store_halves(V first, V second, uint8_t* q) {
#if HWY_HAVE_SCALABLE || HWY_MAX_BYTES < 32
  hn::StoreU(first, DHalf(), q);
  hn::StoreU(second, DHalf(), q + 16);
#else
  hn::StoreU(hn::Combine(DBlock(), second, first), DBlock(), q);
#endif
}

template <class D8, class V = hn::Vec<D8>>
HWY_INLINE V low_nibbles(D8 d8, V packed) {
  return hn::And(packed, hn::Set(d8, uint8_t{0xF}));
}

// A lane a bit, the lowest first.
template <class D8>
HWY_INLINE hn::Mask<D8> lanes_of_bits(D8 d8, uint32_t bits) {
  const uint64_t readable = bits;
  return hn::LoadMaskBits(d8, reinterpret_cast<const uint8_t*>(&readable));
}

// out[g] = (byte g + bias) · d for eight groups.
HWY_INLINE void store_factors(uint64_t bytes, float bias, float d, float* out) {
  const hn::CappedTag<float, 8> df;
  for (size_t g = 0; g < 8; g += hn::Lanes(df)) {
    const auto sum = hn::Add(bytes_to_float(df, bytes, g), hn::Set(df, bias));
    hn::StoreU(hn::Mul(sum, hn::Set(df, d)), df, out + g);
  }
}

// The same for the first and the second halves of 32 weights.
HWY_INLINE void store_factors_16(uint64_t first, uint64_t second, float bias, float d, float* out) {
  store_factors(first, bias, d, out);
  store_factors(second, bias, d, out + kSecondHalf);
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
