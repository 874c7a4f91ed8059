// Bit fields of the blocks of 256: the six-bit scales of Q4_K and Q5_K, the spread-out scales of Q6_K, and
// the high bits of Q5_K and Q6_K. Included once for each Highway target.

#if defined(APRX_CPU_K_SCALES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_K_SCALES_INL_H_
#undef APRX_CPU_K_SCALES_INL_H_
#else
#define APRX_CPU_K_SCALES_INL_H_
#endif

#include "aprx/dtype/bytes.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The eight scales and eight mins of the twelve bytes of Q4_K and Q5_K, a byte each, the first lowest
// (layout: aprx/dtype/q4_k.hpp). Whole words, because a load doesn't get at two smaller stores at once.
struct SixBits {
  explicit SixBits(const uint8_t* packed) {
    const uint32_t a = codec::load_u32(packed);
    const uint32_t b = codec::load_u32(packed + 4);
    const uint32_t c = codec::load_u32(packed + 8);
    const uint64_t high_scales = (c & 0x0F0F'0F0FU) | ((a >> 2) & 0x3030'3030U);
    const uint64_t high_mins = ((c >> 4) & 0x0F0F'0F0FU) | ((b >> 2) & 0x3030'3030U);
    scales = (a & 0x3F3F'3F3FU) | (high_scales << 32);
    mins = (b & 0x3F3F'3F3FU) | (high_mins << 32);
  }

  uint64_t scales;
  uint64_t mins;
};

// Bytes `first` and on of `bytes`, as many as the vector has lanes, at most 8.
template <class DF>
HWY_INLINE hn::Vec<DF> bytes_to_float(DF df, uint64_t bytes, size_t first) {
  const hn::RebindToSigned<DF> di;
  const hn::Rebind<uint8_t, DF> d8;
  const uint64_t wanted = bytes >> (8 * first);
  return hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(d8, reinterpret_cast<const uint8_t*>(&wanted))));
}

// Moves the bits from kFrom on, as many as kMask has, to bit kTo of each byte and clears the others. Bytes
// are shifted in pairs; what crosses over from the neighbour lands outside the mask.
template <int kFrom, int kTo, int kMask, class D8, class V = hn::Vec<D8>>
HWY_INLINE V bits_to(D8 d8, V bytes) {
  const hn::Repartition<uint16_t, D8> d16;
  const auto mask = hn::Set(d8, static_cast<uint8_t>(kMask << kTo));
  const auto pairs = hn::BitCast(d16, bytes);
  if constexpr (kFrom < kTo) {
    return hn::And(hn::BitCast(d8, hn::ShiftLeft<kTo - kFrom>(pairs)), mask);
  } else {
    return hn::And(hn::BitCast(d8, hn::ShiftRight<kFrom - kTo>(pairs)), mask);
  }
}

struct GroupOfWeight {
  constexpr GroupOfWeight() {
    for (int i = 0; i < 256; ++i) group[i] = static_cast<uint8_t>(i / 16);
  }
  alignas(32) uint8_t group[256] = {};
};

// Of the 16 one-byte scales of Q6_K, each for 16 weights, those beside the pairs of weights from `first` on,
// in 16-bit lanes. The byte goes to the upper half of its lane; the shift leaves it there with its sign.
template <class D8>
HWY_INLINE auto scales_of_16(D8 d8, const uint8_t* scales, size_t first) {
  static constexpr GroupOfWeight kOf;
  const hn::Repartition<int16_t, D8> d16;
  const auto spread = hn::TableLookupBytes(hn::LoadDup128(d8, scales), hn::LoadU(d8, kOf.group + first));
  return hn::ShiftRight<8>(hn::BitCast(d16, spread));
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
