// Unpackers of blocks of 256 weights whose bits lie apart: Q2_K to Q6_K, IQ4_XS and the ternary types.
// Layouts: the headers of aprx/dtype/.

#include "aprx/dtype/iq4.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/unpack/k_quants.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "plugins/cpu_simd/unpack/bit_fields.h"
#include "plugins/cpu_simd/unpack/unpack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// 32 bytes hold 128 weights: bits 2j, 2j+1 of byte i are weight 32·j + i.
HWY_INLINE void store_two_bits(const uint8_t* packed, uint8_t* q) {
  const DBlock d8;
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
    const auto bytes = hn::LoadU(d8, packed + i);
    hn::StoreU(bits_to<0, 0, 3>(d8, bytes), d8, q + i);
    hn::StoreU(bits_to<2, 0, 3>(d8, bytes), d8, q + 32 + i);
    hn::StoreU(bits_to<4, 0, 3>(d8, bytes), d8, q + 64 + i);
    hn::StoreU(bits_to<6, 0, 3>(d8, bytes), d8, q + 96 + i);
  }
}

HWY_INLINE void q2_k(const uint8_t* block, const Slot& to) {
  constexpr uint64_t kNibbles = 0x0F0F'0F0F'0F0F'0F0FU;
  const uint64_t low = codec::load_u64(block);
  const uint64_t high = codec::load_u64(block + 8);
  const uint64_t even = even_bytes(low, high);
  const uint64_t odd = even_bytes(low >> 8, high >> 8);
  store_factors_16(even & kNibbles, odd & kNibbles, 0.0F, half_at(block + 80), to.scale);
  store_factors_16((even >> 4) & kNibbles, (odd >> 4) & kNibbles, 0.0F, half_at(block + 82), to.min);
  store_two_bits(block + 16, to.q);
  store_two_bits(block + 48, to.q + 128);
}

// 32 weights: two bits of q, and the third from bit kBlock of `high`.
template <int kBlock>
HWY_INLINE void store_three_bits(const uint8_t* q, const uint8_t* high, uint8_t* out) {
  const DBlock d8;
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
    const auto low = bits_to<2 * (kBlock % 4), 0, 3>(d8, hn::LoadU(d8, q + 32 * (kBlock / 4) + i));
    const auto third = bits_to<kBlock, 2, 1>(d8, hn::LoadU(d8, high + i));
    hn::StoreU(hn::Or(low, third), d8, out + 32 * kBlock + i);
  }
}

HWY_INLINE void store_scales_q3_k(const uint8_t* packed, float d, float* scale) {
  constexpr uint64_t kNibbles = 0x0F0F'0F0F'0F0F'0F0FU;
  const uint64_t nibbles = codec::load_u64(packed);
  const uint64_t high = codec::load_u32(packed + 8);
  const uint64_t first = (high & 0x0303'0303U) | (((high >> 2) & 0x0303'0303U) << 32);
  const uint64_t second = ((high >> 4) & 0x0303'0303U) | (((high >> 6) & 0x0303'0303U) << 32);
  const uint64_t a = (nibbles & kNibbles) | (first << 4);
  const uint64_t b = ((nibbles >> 4) & kNibbles) | (second << 4);
  store_factors_16(even_bytes(a, b), even_bytes(a >> 8, b >> 8), -32.0F, d, scale);
}

HWY_INLINE void q3_k(const uint8_t* block, const Slot& to) {
  store_scales_q3_k(block + 96, half_at(block + 108), to.scale);
  store_three_bits<0>(block + 32, block, to.q);
  store_three_bits<1>(block + 32, block, to.q);
  store_three_bits<2>(block + 32, block, to.q);
  store_three_bits<3>(block + 32, block, to.q);
  store_three_bits<4>(block + 32, block, to.q);
  store_three_bits<5>(block + 32, block, to.q);
  store_three_bits<6>(block + 32, block, to.q);
  store_three_bits<7>(block + 32, block, to.q);
}

HWY_INLINE void store_six_bits(const uint8_t* block, const Slot& to) {
  const SixBits bits(block + 4);
  store_factors(bits.scales, 0.0F, half_at(block), to.scale);
  store_factors(bits.mins, 0.0F, half_at(block + 2), to.min);
}

HWY_INLINE void q4_k(const uint8_t* block, const Slot& to) {
  const DBlock d8;
  store_six_bits(block, to);
  for (size_t i = 0; i < 128; i += hn::Lanes(d8)) {
    const auto packed = hn::LoadU(d8, block + 16 + i);
    uint8_t* q = to.q + i / 32 * 64 + i % 32;
    hn::StoreU(low_nibbles(d8, packed), d8, q);
    hn::StoreU(hn::ShiftRight<4>(packed), d8, q + 32);
  }
}

// 64 weights, whose fifth bits are bits 2·kPair and 2·kPair + 1 of `high`.
template <int kPair>
HWY_INLINE void store_pair_q5_k(const uint8_t* low, const uint8_t* high, uint8_t* q) {
  const DBlock d8;
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
    const auto packed = hn::LoadU(d8, low + 32 * kPair + i);
    const auto bits = hn::LoadU(d8, high + i);
    const auto first = hn::Or(low_nibbles(d8, packed), bits_to<2 * kPair, 4, 1>(d8, bits));
    const auto second = hn::Or(hn::ShiftRight<4>(packed), bits_to<2 * kPair + 1, 4, 1>(d8, bits));
    hn::StoreU(first, d8, q + 64 * kPair + i);
    hn::StoreU(second, d8, q + 64 * kPair + 32 + i);
  }
}

HWY_INLINE void q5_k(const uint8_t* block, const Slot& to) {
  store_six_bits(block, to);
  store_pair_q5_k<0>(block + 48, block + 16, to.q);
  store_pair_q5_k<1>(block + 48, block + 16, to.q);
  store_pair_q5_k<2>(block + 48, block + 16, to.q);
  store_pair_q5_k<3>(block + 48, block + 16, to.q);
}

template <int kQuarter>
HWY_INLINE void store_quarter_q6_k(const uint8_t* low, const uint8_t* high, uint8_t* q) {
  const DBlock d8;
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
    const auto packed = hn::LoadU(d8, low + 32 * (kQuarter % 2) + i);
    const auto nibble = kQuarter < 2 ? low_nibbles(d8, packed) : hn::ShiftRight<4>(packed);
    const auto top = bits_to<2 * kQuarter, 4, 3>(d8, hn::LoadU(d8, high + i));
    hn::StoreU(hn::Or(nibble, top), d8, q + 32 * kQuarter + i);
  }
}

HWY_INLINE void q6_k(const uint8_t* block, const Slot& to) {
  constexpr uint64_t kSigns = 0x8080'8080'8080'8080U;  // makes int8 scales unsigned, 128 more
  const uint64_t low = codec::load_u64(block + 192) ^ kSigns;
  const uint64_t high = codec::load_u64(block + 200) ^ kSigns;
  store_factors_16(even_bytes(low, high), even_bytes(low >> 8, high >> 8), -128.0F, half_at(block + 208),
                   to.scale);
  for (int half = 0; half < 2; ++half) {
    const uint8_t* nibbles = block + 64 * half;
    const uint8_t* top = block + 128 + 32 * half;
    store_quarter_q6_k<0>(nibbles, top, to.q + 128 * half);
    store_quarter_q6_k<1>(nibbles, top, to.q + 128 * half);
    store_quarter_q6_k<2>(nibbles, top, to.q + 128 * half);
    store_quarter_q6_k<3>(nibbles, top, to.q + 128 * half);
  }
}

HWY_INLINE void iq4_xs(const uint8_t* block, const Slot& to) {
  const DHalf d8;
  const auto values = hn::LoadU(d8, reinterpret_cast<const uint8_t*>(codec::kIq4Values));
  const uint64_t high = spread_bit_pairs(codec::load_u16(block + 2));
  store_factors(spread_nibbles(codec::load_u32(block + 4)) | (high << 4), -32.0F, half_at(block), to.scale);
  for (int group = 0; group < 8; ++group) {
    const auto packed = hn::LoadU(d8, block + 8 + 16 * group);
    store_halves(hn::TableLookupBytes(values, low_nibbles(d8, packed)),
                 hn::TableLookupBytes(values, hn::ShiftRight<4>(packed)), to.q + 32 * group);
  }
}

HWY_INLINE void fill(float d, const Slot& to) {
  const hn::CappedTag<float, 8> df;
  for (size_t b = 0; b < 8; b += hn::Lanes(df)) hn::StoreU(hn::Set(df, d), df, to.scale + b);
}

HWY_INLINE void tq2_0(const uint8_t* block, const Slot& to) {
  fill(half_at(block + 64), to);
  store_two_bits(block, to.q);
  store_two_bits(block + 32, to.q + 128);
}

// The first digit of fractions in base 3: 0, 1 from 1/3 on, 2 from 2/3 on.
template <class D8, class V = hn::Vec<D8>>
HWY_INLINE V first_digit(D8 d8, V fraction) {
  const auto one = hn::Set(d8, uint8_t{1});
  const auto third = hn::IfThenElseZero(hn::Gt(fraction, hn::Set(d8, uint8_t{85})), one);
  return hn::Add(third, hn::IfThenElseZero(hn::Gt(fraction, hn::Set(d8, uint8_t{170})), one));
}

// Bytes wrap, which leaves the fraction after the first digit.
template <class V>
HWY_INLINE V times_three(V fraction) {
  return hn::Add(fraction, hn::Add(fraction, fraction));
}

// Four bytes of four digits, all first digits before all second ones.
HWY_INLINE hn::Vec<DHalf> tail_digits(const uint8_t* tail) {
  const DHalf d8;
  const hn::Repartition<uint32_t, DHalf> d32;
  const auto lane = hn::Iota(d32, 0);
  auto fraction = hn::BitCast(d8, hn::Set(d32, codec::load_u32(tail)));
  auto digits = hn::Zero(d32);
  for (uint32_t n = 0; n < 4; ++n, fraction = times_three(fraction)) {
    const auto all = hn::BitCast(d32, first_digit(d8, fraction));
    digits = hn::IfThenElse(hn::Eq(lane, hn::Set(d32, n)), all, digits);
  }
  return hn::BitCast(d8, digits);
}

HWY_INLINE void tq1_0(const uint8_t* block, const Slot& to) {
  const DBlock d8;
  fill(half_at(block + 52), to);
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
    auto fraction = hn::LoadU(d8, block + i);
    for (int n = 0; n < 5; ++n, fraction = times_three(fraction)) {
      hn::StoreU(first_digit(d8, fraction), d8, to.q + 32 * n + i);
    }
  }
  const DHalf half;
  auto fraction = hn::LoadU(half, block + 32);
  for (int n = 0; n < 4; n += 2) {
    const auto next = times_three(fraction);
    store_halves(first_digit(half, fraction), first_digit(half, next), to.q + 160 + 16 * n);
    fraction = times_three(next);
  }
  store_halves(first_digit(half, fraction), tail_digits(block + 48), to.q + 224);
}

UnpackFn k_quants(DType dtype) {
  switch (dtype) {
    case DType::kQ2_K: return unpack_blocks<DType::kQ2_K, q2_k>;
    case DType::kQ3_K: return unpack_blocks<DType::kQ3_K, q3_k>;
    case DType::kQ4_K: return unpack_blocks<DType::kQ4_K, q4_k>;
    case DType::kQ5_K: return unpack_blocks<DType::kQ5_K, q5_k>;
    case DType::kQ6_K: return unpack_blocks<DType::kQ6_K, q6_k>;
    case DType::kIQ4_XS: return unpack_blocks<DType::kIQ4_XS, iq4_xs>;
    case DType::kTQ1_0: return unpack_blocks<DType::kTQ1_0, tq1_0>;
    case DType::kTQ2_0: return unpack_blocks<DType::kTQ2_0, tq2_0>;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(k_quants);
}  // namespace

UnpackFn unpacker_of_k_quants(DType dtype) { return HWY_DYNAMIC_DISPATCH(k_quants)(dtype); }

}  // namespace aprx::cpu
#endif  // HWY_ONCE
