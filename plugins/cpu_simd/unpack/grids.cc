// Unpackers of blocks of 256 weights that choose points of a grid: IQ1, IQ2 and IQ3. Layouts: the headers of
// aprx/dtype/.

#include "aprx/dtype/iq1.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/unpack/grids.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "plugins/cpu_simd/unpack/bit_fields.h"
#include "plugins/cpu_simd/unpack/grid_words.h"
#include "plugins/cpu_simd/unpack/unpack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// 32 weights as words of eight bytes.
struct FourWords {
  uint64_t word[4];
};

HWY_INLINE hn::Vec<DHalf> bytes_of(uint64_t first, uint64_t second) {
  const hn::Repartition<uint64_t, DHalf> d64;
  return hn::BitCast(DHalf(), hn::Dup128VecFromValues(d64, first, second));
}

HWY_INLINE void store_words(const FourWords& w, uint8_t* q) {
  store_halves(bytes_of(w.word[0], w.word[1]), bytes_of(w.word[2], w.word[3]), q);
}

// kOffset ± magnitude, minus where a bit is set.
template <int kOffset, class D8, class V = hn::Vec<D8>>
HWY_INLINE V with_signs(D8 d8, V magnitude, uint32_t signs) {
  const auto offset = hn::Set(d8, uint8_t{kOffset});
  return hn::IfThenElse(lanes_of_bits(d8, signs), hn::Sub(offset, magnitude), hn::Add(offset, magnitude));
}

template <int kOffset>
HWY_INLINE void store_signed(const FourWords& w, uint32_t signs, uint8_t* q) {
  const auto first = bytes_of(w.word[0], w.word[1]);
  const auto second = bytes_of(w.word[2], w.word[3]);
#if HWY_HAVE_SCALABLE || HWY_MAX_BYTES < 32
  store_halves(with_signs<kOffset>(DHalf(), first, signs & 0xFFFFU),
               with_signs<kOffset>(DHalf(), second, signs >> 16), q);
#else
  const DBlock d8;
  hn::StoreU(with_signs<kOffset>(d8, hn::Combine(d8, second, first), signs), d8, q);
#endif
}

// The signs of 32 weights from four times seven bits.
HWY_INLINE uint32_t signs_of(uint32_t sevens) {
  return kEvenSigns[sevens & 0x7FU] | (static_cast<uint32_t>(kEvenSigns[(sevens >> 7) & 0x7FU]) << 8) |
         (static_cast<uint32_t>(kEvenSigns[(sevens >> 14) & 0x7FU]) << 16) |
         (static_cast<uint32_t>(kEvenSigns[(sevens >> 21) & 0x7FU]) << 24);
}

HWY_INLINE void iq2_xxs(const uint8_t* block, const Slot& to) {
  const float d = half_at(block) * 0.25F;
  for (int b = 0; b < 8; ++b) {
    const uint8_t* index = block + 2 + 8 * b;
    const uint32_t rest = codec::load_u32(index + 4);
    store_signed<64>(
        {kIq2XxsWords[index[0]], kIq2XxsWords[index[1]], kIq2XxsWords[index[2]], kIq2XxsWords[index[3]]},
        signs_of(rest), to.q + 32 * b);
    to.scale[b] = d * (0.5F + static_cast<float>(rest >> 28));
  }
}

// The scales of IQ2_XS and IQ2_S: a nibble for 16 weights.
HWY_INLINE void store_scales_iq2(const uint8_t* packed, float d, float* scale) {
  constexpr uint64_t kNibbles = 0x0F0F'0F0F'0F0F'0F0FU;
  const uint64_t nibbles = codec::load_u64(packed);
  store_factors_16(nibbles & kNibbles, (nibbles >> 4) & kNibbles, 0.5F, d * 0.25F, scale);
}

HWY_INLINE void iq2_xs(const uint8_t* block, const Slot& to) {
  store_scales_iq2(block + 66, half_at(block), to.scale);
  for (int b = 0; b < 8; ++b) {
    FourWords words;
    uint32_t signs = 0;
    for (int l = 0; l < 4; ++l) {
      const uint32_t q = codec::load_u16(block + 2 + 8 * b + 2 * l);
      words.word[l] = kIq2XsWords[q & 0x1FFU];
      signs |= static_cast<uint32_t>(kEvenSigns[q >> 9]) << (8 * l);
    }
    store_signed<64>(words, signs, to.q + 32 * b);
  }
}

HWY_INLINE void iq2_s(const uint8_t* block, const Slot& to) {
  store_scales_iq2(block + 74, half_at(block), to.scale);
  for (int b = 0; b < 8; ++b) {
    const uint32_t high = block[66 + b];
    FourWords words;
    for (int l = 0; l < 4; ++l) {
      words.word[l] = kIq2SWords[block[2 + 4 * b + l] | (((high >> (2 * l)) & 3U) << 8)];
    }
    store_signed<64>(words, codec::load_u32(block + 34 + 4 * b), to.q + 32 * b);
  }
}

HWY_INLINE void iq3_xxs(const uint8_t* block, const Slot& to) {
  const float d = half_at(block) * 0.5F;
  for (int b = 0; b < 8; ++b) {
    const uint8_t* index = block + 2 + 8 * b;
    const uint32_t rest = codec::load_u32(block + 66 + 4 * b);
    FourWords words;
    for (int l = 0; l < 4; ++l) {
      const uint64_t second = kIq3XxsWords[index[2 * l + 1]];
      words.word[l] = kIq3XxsWords[index[2 * l]] | (second << 32);
    }
    store_signed<64>(words, signs_of(rest), to.q + 32 * b);
    to.scale[b] = d * (0.5F + static_cast<float>(rest >> 28));
  }
}

HWY_INLINE void iq3_s(const uint8_t* block, const Slot& to) {
  store_factors(spread_nibbles(codec::load_u32(block + 106)), 0.5F, 2.0F * half_at(block), to.scale);
  for (int b = 0; b < 8; ++b) {
    const uint8_t* index = block + 2 + 8 * b;
    const uint32_t high = block[66 + b];
    FourWords words;
    for (int l = 0; l < 4; ++l) {
      const uint64_t second = kIq3SWords[index[2 * l + 1] | ((high << (7 - 2 * l)) & 0x100U)];
      words.word[l] = kIq3SWords[index[2 * l] | ((high << (8 - 2 * l)) & 0x100U)] | (second << 32);
    }
    store_signed<16>(words, codec::load_u32(block + 74 + 4 * b), to.q + 32 * b);
  }
}

// A point of IQ1; bit 3 of `high` makes the shift negative, the bits below belong to the index.
HWY_INLINE uint64_t shifted_point(uint32_t low, uint32_t high) {
  const uint64_t shift = (high & 8U) != 0 ? 0 : 0x0202'0202'0202'0202U;
  return kIq1Words[low | ((high & 7U) << 8)] + shift;
}

HWY_INLINE void iq1_s(const uint8_t* block, const Slot& to) {
  const float d = half_at(block) * 0.25F;
  for (int b = 0; b < 8; ++b) {
    const uint8_t* index = block + 2 + 4 * b;
    const uint32_t high = codec::load_u16(block + 34 + 2 * b);
    const uint32_t shift = (high >> 12) & 8U;
    FourWords words;
    for (int l = 0; l < 4; ++l) {
      words.word[l] = shifted_point(index[l], ((high >> (3 * l)) & 7U) | shift);
    }
    store_words(words, to.q + 32 * b);
    to.scale[b] = d * (0.5F + static_cast<float>((high >> 12) & 7U));
  }
}

HWY_INLINE void iq1_m(const uint8_t* block, const Slot& to) {
  constexpr uint64_t kThreeBits = 0x0007'0007'0007'0007U;
  const float d = codec::scale_of(*reinterpret_cast<const codec::BlockIQ1_M*>(block)) * 0.25F;
  const uint64_t scales = codec::load_u64(block + 48);
  const uint64_t first = (scales & kThreeBits) | (((scales >> 6) & kThreeBits) << 8);
  const uint64_t second = ((scales >> 3) & kThreeBits) | (((scales >> 9) & kThreeBits) << 8);
  store_factors_16(first, second, 0.5F, d, to.scale);
  for (int b = 0; b < 8; ++b) {
    const uint8_t* index = block + 4 * b;
    const uint32_t high = codec::load_u16(block + 32 + 2 * b);
    FourWords words;
    for (int l = 0; l < 4; ++l) words.word[l] = shifted_point(index[l], (high >> (4 * l)) & 0xFU);
    store_words(words, to.q + 32 * b);
  }
}

UnpackFn grids(DType dtype) {
  switch (dtype) {
    case DType::kIQ1_S: return unpack_blocks<DType::kIQ1_S, iq1_s>;
    case DType::kIQ1_M: return unpack_blocks<DType::kIQ1_M, iq1_m>;
    case DType::kIQ2_XXS: return unpack_blocks<DType::kIQ2_XXS, iq2_xxs>;
    case DType::kIQ2_XS: return unpack_blocks<DType::kIQ2_XS, iq2_xs>;
    case DType::kIQ2_S: return unpack_blocks<DType::kIQ2_S, iq2_s>;
    case DType::kIQ3_XXS: return unpack_blocks<DType::kIQ3_XXS, iq3_xxs>;
    case DType::kIQ3_S: return unpack_blocks<DType::kIQ3_S, iq3_s>;
    default: return nullptr;
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(grids);
}  // namespace

UnpackFn unpacker_of_grids(DType dtype) { return HWY_DYNAMIC_DISPATCH(grids)(dtype); }

}  // namespace aprx::cpu
#endif  // HWY_ONCE
