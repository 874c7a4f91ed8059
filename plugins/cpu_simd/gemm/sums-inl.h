// Ways to sum byte products of a group in the lanes of a vector, one lane a weight row. Each has
//   zero()                 an empty sum
//   add(sum, w, x)         adds kStep·4 products: w points at kStep vectors, x at kStep·4 activations
//   finish(sum)            the sum as 32-bit lanes
// Included once for each Highway target.

#if defined(APRX_CPU_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_SUMS_INL_H_
#undef APRX_CPU_SUMS_INL_H_
#else
#define APRX_CPU_SUMS_INL_H_
#endif

#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "plugins/cpu_simd/gemv/dot4-inl.h"
#include "plugins/cpu_simd/unpack/byte_form.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A lane a weight row; two vectors make a panel.
using DLane = hn::CappedTag<int32_t, 16>;
using DLaneF = hn::RebindToFloat<DLane>;
using DLane8 = hn::Repartition<int8_t, DLane>;
using DLaneU8 = hn::Repartition<uint8_t, DLane>;
using DLane16 = hn::Repartition<int16_t, DLane>;

// Four activations in every lane.
HWY_INLINE hn::Vec<DLane8> four_of(const int8_t* x) {
  int32_t four;
  std::memcpy(&four, x, sizeof four);
  return hn::BitCast(DLane8(), hn::Set(DLane(), four));
}

// Keeps the sum one variable: GCC would otherwise copy and spill the sums of a tile.
template <class V>
HWY_INLINE V in_register(V sum) {
#if HWY_ARCH_X86 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+v"(sum.raw));
#endif
  return sum;
}

struct VnniSums {
  static constexpr int kStep = 1;
  static HWY_INLINE hn::Vec<DLane> zero() { return hn::Zero(DLane()); }
  static HWY_INLINE hn::Vec<DLane> add(hn::Vec<DLane> sum, const uint8_t* w, const int8_t* x, size_t) {
    return dot4(DLane(), hn::Load(DLaneU8(), w), four_of(x), sum);
  }
  static HWY_INLINE hn::Vec<DLane> finish(hn::Vec<DLane> sum) { return sum; }
};

// Weights up to 15: eight sums of pairs fit 16 bits, as 8 · 2 · 15 · 127 = 30480.
struct NibbleSums {
  static constexpr int kStep = 1;
  static HWY_INLINE hn::Vec<DLane16> zero() { return hn::Zero(DLane16()); }
  static HWY_INLINE hn::Vec<DLane16> add(hn::Vec<DLane16> sum, const uint8_t* w, const int8_t* x, size_t) {
    return in_register(
        hn::Add(sum, hn::SatWidenMulPairwiseAdd(DLane16(), hn::Load(DLaneU8(), w), four_of(x))));
  }
  static HWY_INLINE hn::Vec<DLane> finish(hn::Vec<DLane16> sum) {
    return hn::WidenMulPairwiseAdd(DLane(), sum, hn::Set(DLane16(), int16_t{1}));
  }
};

// Weights up to 63: two sums of pairs fit 16 bits, as 2 · 2 · 63 · 127 = 32004.
struct PairSums {
  static constexpr int kStep = 2;
  static HWY_INLINE hn::Vec<DLane> zero() { return hn::Zero(DLane()); }
  static HWY_INLINE hn::Vec<DLane> add(hn::Vec<DLane> sum, const uint8_t* w, const int8_t* x, size_t stride) {
    const DLane16 d16;
    const auto first = hn::SatWidenMulPairwiseAdd(d16, hn::Load(DLaneU8(), w), four_of(x));
    const auto second = hn::SatWidenMulPairwiseAdd(d16, hn::Load(DLaneU8(), w + stride), four_of(x + 4));
    const auto products = hn::WidenMulPairwiseAdd(DLane(), hn::Add(first, second), hn::Set(d16, int16_t{1}));
    return in_register(hn::Add(sum, products));
  }
  static HWY_INLINE hn::Vec<DLane> finish(hn::Vec<DLane> sum) { return sum; }
};

// Weights up to 128: one sum of a pair fits 16 bits.
struct ByteSums {
  static constexpr int kStep = 1;
  static HWY_INLINE hn::Vec<DLane> zero() { return hn::Zero(DLane()); }
  static HWY_INLINE hn::Vec<DLane> add(hn::Vec<DLane> sum, const uint8_t* w, const int8_t* x, size_t) {
    return in_register(dot4(DLane(), hn::Load(DLaneU8(), w), four_of(x), sum));
  }
  static HWY_INLINE hn::Vec<DLane> finish(hn::Vec<DLane> sum) { return sum; }
};

struct SignedSums {
  static constexpr int kStep = 1;
  static HWY_INLINE hn::Vec<DLane> zero() { return hn::Zero(DLane()); }
  static HWY_INLINE hn::Vec<DLane> add(hn::Vec<DLane> sum, const uint8_t* w, const int8_t* x, size_t) {
    return in_register(dot4_signed(DLane(), hn::BitCast(DLane8(), hn::Load(DLaneU8(), w)), four_of(x), sum));
  }
  static HWY_INLINE hn::Vec<DLane> finish(hn::Vec<DLane> sum) { return sum; }
};

template <ByteRange kRange>
struct SumsWithoutVnni;
template <>
struct SumsWithoutVnni<ByteRange::k15> : NibbleSums {};
template <>
struct SumsWithoutVnni<ByteRange::k63> : PairSums {};
template <>
struct SumsWithoutVnni<ByteRange::k128> : ByteSums {};
template <>
struct SumsWithoutVnni<ByteRange::kSigned> : SignedSums {};

template <ByteRange kRange>
using SumsOf = std::conditional_t<kHasDot4, VnniSums, SumsWithoutVnni<kRange>>;

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
