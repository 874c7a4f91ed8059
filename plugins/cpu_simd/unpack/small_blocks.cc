// Unpackers of blocks of 32, 64 and 128 weights. Layouts: the headers of aprx/dtype/.

#include "aprx/dtype/e2m1.hpp"
#include "aprx/dtype/iq4.hpp"
#include "aprx/dtype/mxfp4.hpp"
#include "aprx/dtype/nvfp4.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/unpack/small_blocks.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "plugins/cpu_simd/unpack/unpack-inl.h"

#ifndef APRX_CPU_SMALL_BLOCKS_ONCE_
#define APRX_CPU_SMALL_BLOCKS_ONCE_
namespace aprx::cpu {
namespace {

constexpr int kE2m1Offset = 12;  // weight_format.h

struct E2m1Bytes {
  constexpr E2m1Bytes() {
    for (int i = 0; i < 16; ++i) byte[i] = static_cast<uint8_t>(codec::kE2m1Doubled[i] + kE2m1Offset);
  }
  alignas(16) uint8_t byte[16] = {};
};
constexpr E2m1Bytes kE2m1;

}  // namespace
}  // namespace aprx::cpu
#endif  // APRX_CPU_SMALL_BLOCKS_ONCE_

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

HWY_INLINE void q8_0(const uint8_t* block, const Slot& to) {
  const DBlock d8;
  for (size_t i = 0; i < 32; i += hn::Lanes(d8)) hn::StoreU(hn::LoadU(d8, block + 2 + i), d8, to.q + i);
  *to.scale = half_at(block);
}

HWY_INLINE void store_nibbles(const uint8_t* packed, uint8_t* q) {
  const DHalf d8;
  const auto bytes = hn::LoadU(d8, packed);
  store_halves(low_nibbles(d8, bytes), hn::ShiftRight<4>(bytes), q);
}

HWY_INLINE void q4_0(const uint8_t* block, const Slot& to) {
  store_nibbles(block + 2, to.q);
  *to.scale = half_at(block);
}

HWY_INLINE void q4_1(const uint8_t* block, const Slot& to) {
  store_nibbles(block + 4, to.q);
  *to.scale = half_at(block);
  *to.min = -half_at(block + 2);
}

// Nibbles with a fifth bit each, weight i's in bit i of `high`.
HWY_INLINE void store_five_bits(const uint8_t* packed, uint32_t high, uint8_t* q) {
  const DHalf d8;
  const auto bytes = hn::LoadU(d8, packed);
  const auto fifth = hn::Set(d8, uint8_t{0x10});
  const auto first = hn::IfThenElseZero(lanes_of_bits(d8, high & 0xFFFFU), fifth);
  const auto second = hn::IfThenElseZero(lanes_of_bits(d8, high >> 16), fifth);
  store_halves(hn::Or(low_nibbles(d8, bytes), first), hn::Or(hn::ShiftRight<4>(bytes), second), q);
}

HWY_INLINE void q5_0(const uint8_t* block, const Slot& to) {
  store_five_bits(block + 6, codec::load_u32(block + 2), to.q);
  *to.scale = half_at(block);
}

HWY_INLINE void q5_1(const uint8_t* block, const Slot& to) {
  store_five_bits(block + 8, codec::load_u32(block + 4), to.q);
  *to.scale = half_at(block);
  *to.min = -half_at(block + 2);
}

// Nibbles through a table of sixteen bytes.
HWY_INLINE void store_looked_up(const uint8_t* table, const uint8_t* packed, uint8_t* q) {
  const DHalf d8;
  const auto bytes = hn::LoadU(d8, packed);
  const auto values = hn::LoadU(d8, table);
  store_halves(hn::TableLookupBytes(values, low_nibbles(d8, bytes)),
               hn::TableLookupBytes(values, hn::ShiftRight<4>(bytes)), q);
}

HWY_INLINE void iq4_nl(const uint8_t* block, const Slot& to) {
  store_looked_up(reinterpret_cast<const uint8_t*>(codec::kIq4Values), block + 2, to.q);
  *to.scale = half_at(block);
}

HWY_INLINE void mxfp4(const uint8_t* block, const Slot& to) {
  store_looked_up(kE2m1.byte, block + 1, to.q);
  *to.scale = codec::half_e8m0(block[0]);
}

// The nibbles of 8 bytes are 16 weights, the low ones first.
HWY_INLINE void nvfp4(const uint8_t* block, const Slot& to) {
  const DHalf d8;
  const hn::Repartition<uint64_t, DHalf> d64;
  const auto values = hn::LoadU(d8, kE2m1.byte);
  for (int b = 0; b < 2; ++b) {
    const auto bytes = hn::LoadU(d8, block + 4 + 16 * b);
    const auto low = hn::BitCast(d64, hn::TableLookupBytes(values, low_nibbles(d8, bytes)));
    const auto high = hn::BitCast(d64, hn::TableLookupBytes(values, hn::ShiftRight<4>(bytes)));
    store_halves(hn::BitCast(d8, hn::InterleaveLower(d64, low, high)),
                 hn::BitCast(d8, hn::InterleaveUpper(d64, low, high)), to.q + 32 * b);
    to.scale[b] = codec::half_ue4m3(block[2 * b]);
    to.scale[kSecondHalf + b] = codec::half_ue4m3(block[2 * b + 1]);
  }
}

// A bit a weight: 2 or 0 beside an offset of 1.
HWY_INLINE void q1_0(const uint8_t* block, const Slot& to) {
  const DBlock d8;
  const float d = half_at(block);
  for (int b = 0; b < 4; ++b) {
    const uint32_t bits = codec::load_u32(block + 2 + 4 * b);
    for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
      const auto two = hn::IfThenElseZero(lanes_of_bits(d8, bits >> i), hn::Set(d8, uint8_t{2}));
      hn::StoreU(two, d8, to.q + 32 * b + i);
    }
    to.scale[b] = d;
  }
}

// Four neighbours a byte.
HWY_INLINE void q2_0(const uint8_t* block, const Slot& to) {
  const DHalf d8;
  const hn::Repartition<uint16_t, DHalf> d16;
  const auto bytes = hn::LoadU(d8, block + 2);
  const auto first = bits_to<0, 0, 3>(d8, bytes);
  const auto second = bits_to<2, 0, 3>(d8, bytes);
  const auto third = bits_to<4, 0, 3>(d8, bytes);
  const auto fourth = bits_to<6, 0, 3>(d8, bytes);
  const auto low_a = hn::BitCast(d16, hn::InterleaveLower(d8, first, second));
  const auto low_b = hn::BitCast(d16, hn::InterleaveLower(d8, third, fourth));
  const auto high_a = hn::BitCast(d16, hn::InterleaveUpper(d8, first, second));
  const auto high_b = hn::BitCast(d16, hn::InterleaveUpper(d8, third, fourth));
  store_halves(hn::BitCast(d8, hn::InterleaveLower(d16, low_a, low_b)),
               hn::BitCast(d8, hn::InterleaveUpper(d16, low_a, low_b)), to.q);
  store_halves(hn::BitCast(d8, hn::InterleaveLower(d16, high_a, high_b)),
               hn::BitCast(d8, hn::InterleaveUpper(d16, high_a, high_b)), to.q + 32);
  to.scale[0] = to.scale[1] = half_at(block);
}

UnpackFn small_blocks(DType dtype) {
  switch (dtype) {
    case DType::kQ8_0: return unpack_blocks<DType::kQ8_0, q8_0>;
    case DType::kQ4_0: return unpack_blocks<DType::kQ4_0, q4_0>;
    case DType::kQ4_1: return unpack_blocks<DType::kQ4_1, q4_1>;
    case DType::kQ5_0: return unpack_blocks<DType::kQ5_0, q5_0>;
    case DType::kQ5_1: return unpack_blocks<DType::kQ5_1, q5_1>;
    case DType::kIQ4_NL: return unpack_blocks<DType::kIQ4_NL, iq4_nl>;
    case DType::kMXFP4: return unpack_blocks<DType::kMXFP4, mxfp4>;
    case DType::kNVFP4: return unpack_blocks<DType::kNVFP4, nvfp4>;
    case DType::kQ1_0: return unpack_blocks<DType::kQ1_0, q1_0>;
    case DType::kQ2_0: return unpack_blocks<DType::kQ2_0, q2_0>;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(small_blocks);
}  // namespace

UnpackFn unpacker_of_small_blocks(DType dtype) { return HWY_DYNAMIC_DISPATCH(small_blocks)(dtype); }

}  // namespace aprx::cpu
#endif  // HWY_ONCE
