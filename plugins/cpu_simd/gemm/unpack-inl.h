// Unpacks blocks of quantized weights to bytes in the order of k, with a factor (and a minimum) for each
// group: w[i] = scale · (byte − offset) − min. Included once for each Highway target.

#if defined(APRX_CPU_UNPACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_UNPACK_INL_H_
#undef APRX_CPU_UNPACK_INL_H_
#else
#define APRX_CPU_UNPACK_INL_H_
#endif

#include "hwy/highway.h"
#include "plugins/cpu_simd/gemv/dot4-inl.h"
#include "plugins/cpu_simd/gemv/k_scales-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// How the products of a dtype's bytes with activations are summed (sums-inl.h).
enum class Sums { kNibbles, kPairs, kSigned };

// Each dtype: block size, bytes, weights that share a factor, and unpack(). `scale` and `min` are written for
// each group; `min` only where kHasMin.
struct UnpackQ8_0 {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 34;
  static constexpr int kGroup = 32;
  static constexpr Sums kSums = Sums::kSigned;
  // With VNNI the sign bit is flipped, which makes the weights unsigned.
  static constexpr int kOffset = kHasDot4 ? 128 : 0;
  static constexpr bool kHasMin = false;

  static HWY_INLINE void unpack(const uint8_t* block, uint8_t* q, float* scale, float*) {
    const hn::CappedTag<uint8_t, 32> d8;
    const auto flip = hn::Set(d8, uint8_t{kOffset});
    for (size_t i = 0; i < 32; i += hn::Lanes(d8))
      hn::StoreU(hn::Xor(hn::LoadU(d8, block + 2 + i), flip), d8, q + i);
    scale[0] = half_at(block);
  }
};

struct UnpackQ4_0 {
  static constexpr int kElements = 32;
  static constexpr int kBytes = 18;
  static constexpr int kGroup = 32;
  static constexpr Sums kSums = Sums::kNibbles;
  static constexpr int kOffset = 8;
  static constexpr bool kHasMin = false;

  static HWY_INLINE void unpack(const uint8_t* block, uint8_t* q, float* scale, float*) {
    const hn::CappedTag<uint8_t, 16> d8;
    const auto packed = hn::LoadU(d8, block + 2);
    hn::StoreU(hn::And(packed, hn::Set(d8, uint8_t{0xF})), d8, q);
    hn::StoreU(hn::ShiftRight<4>(packed), d8, q + 16);
    scale[0] = half_at(block);
  }
};

HWY_INLINE void unpack_six_bits(const uint8_t* block, float* scale, float* min) {
  const hn::CappedTag<float, 8> df;
  const auto d = hn::Set(df, half_at(block));
  const auto dmin = hn::Set(df, half_at(block + 2));
  const SixBits bits(block + 4);
  for (size_t g = 0; g < 8; g += hn::Lanes(df)) {
    hn::StoreU(hn::Mul(d, bytes_to_float(df, bits.scales, g)), df, scale + g);
    hn::StoreU(hn::Mul(dmin, bytes_to_float(df, bits.mins, g)), df, min + g);
  }
}

struct UnpackQ4_K {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 144;
  static constexpr int kGroup = 32;
  static constexpr Sums kSums = Sums::kNibbles;
  static constexpr int kOffset = 0;
  static constexpr bool kHasMin = true;

  static HWY_INLINE void unpack(const uint8_t* block, uint8_t* q, float* scale, float* min) {
    const hn::CappedTag<uint8_t, 32> d8;
    const auto mask = hn::Set(d8, uint8_t{0xF});
    unpack_six_bits(block, scale, min);
    for (size_t i = 0; i < 128; i += hn::Lanes(d8)) {
      const auto packed = hn::LoadU(d8, block + 16 + i);
      uint8_t* to = q + i / 32 * 64 + i % 32;
      hn::StoreU(hn::And(packed, mask), d8, to);
      hn::StoreU(hn::ShiftRight<4>(packed), d8, to + 32);
    }
  }
};

struct UnpackQ5_K {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 176;
  static constexpr int kGroup = 32;
  static constexpr Sums kSums = Sums::kPairs;
  static constexpr int kOffset = 0;
  static constexpr bool kHasMin = true;

  template <int kPair>
  static HWY_INLINE void pair(const uint8_t* block, uint8_t* q) {
    const hn::CappedTag<uint8_t, 32> d8;
    const auto mask = hn::Set(d8, uint8_t{0xF});
    for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
      const auto packed = hn::LoadU(d8, block + 48 + 32 * kPair + i);
      const auto bits = hn::LoadU(d8, block + 16 + i);
      const auto low = hn::Or(hn::And(packed, mask), bits_to<2 * kPair, 4, 1>(d8, bits));
      const auto high = hn::Or(hn::ShiftRight<4>(packed), bits_to<2 * kPair + 1, 4, 1>(d8, bits));
      hn::StoreU(low, d8, q + 64 * kPair + i);
      hn::StoreU(high, d8, q + 64 * kPair + 32 + i);
    }
  }

  static HWY_INLINE void unpack(const uint8_t* block, uint8_t* q, float* scale, float* min) {
    unpack_six_bits(block, scale, min);
    pair<0>(block, q);
    pair<1>(block, q);
    pair<2>(block, q);
    pair<3>(block, q);
  }
};

struct UnpackQ6_K {
  static constexpr int kElements = 256;
  static constexpr int kBytes = 210;
  static constexpr int kGroup = 16;
  static constexpr Sums kSums = Sums::kPairs;
  static constexpr int kOffset = 32;
  static constexpr bool kHasMin = false;

  template <int kQuarter>
  static HWY_INLINE void quarter(const uint8_t* low, const uint8_t* high, uint8_t* q) {
    const hn::CappedTag<uint8_t, 32> d8;
    for (size_t i = 0; i < 32; i += hn::Lanes(d8)) {
      const auto packed = hn::LoadU(d8, low + 32 * (kQuarter % 2) + i);
      const auto nibble =
          kQuarter < 2 ? hn::And(packed, hn::Set(d8, uint8_t{0xF})) : hn::ShiftRight<4>(packed);
      const auto top = bits_to<2 * kQuarter, 4, 3>(d8, hn::LoadU(d8, high + i));
      hn::StoreU(hn::Or(nibble, top), d8, q + 32 * kQuarter + i);
    }
  }

  static HWY_INLINE void unpack(const uint8_t* block, uint8_t* q, float* scale, float*) {
    const hn::CappedTag<float, 8> df;
    const hn::Rebind<int8_t, decltype(df)> d8;
    const hn::RebindToSigned<decltype(df)> d32;
    const auto d = hn::Set(df, half_at(block + 208));
    const auto* bytes = reinterpret_cast<const int8_t*>(block + 192);
    for (size_t g = 0; g < 16; g += hn::Lanes(df)) {
      const auto factors = hn::ConvertTo(df, hn::PromoteTo(d32, hn::LoadU(d8, bytes + g)));
      hn::StoreU(hn::Mul(d, factors), df, scale + g);
    }
    for (int half = 0; half < 2; ++half) {
      const uint8_t* low = block + 64 * half;
      const uint8_t* high = block + 128 + 32 * half;
      quarter<0>(low, high, q + 128 * half);
      quarter<1>(low, high, q + 128 * half);
      quarter<2>(low, high, q + 128 * half);
      quarter<3>(low, high, q + 128 * half);
    }
  }
};

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
