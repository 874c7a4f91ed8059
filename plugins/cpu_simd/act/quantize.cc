#include <limits>

#include "plugins/cpu_simd/act/int8_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/act/quantize.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes, so that a vector never spans two of the sums of 16.
using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;

// The largest magnitude of a block as the bits of a float: they order like the values, NaN above all.
int32_t largest_bits(const float* x) {
  const DF df;
  const DI di;
  const auto magnitude = hn::Set(di, 0x7FFF'FFFF);
  auto largest = hn::Zero(di);
  for (int64_t i = 0; i < kActBlock; i += static_cast<int64_t>(hn::Lanes(df))) {
    largest = hn::Max(largest, hn::And(hn::BitCast(di, hn::LoadU(df, x + i)), magnitude));
  }
  return hn::ReduceMax(di, largest);
}

int32_t round_16(const float* x, float inverse, int8_t* q) {
  const DF df;
  const DI di;
  const hn::Rebind<int8_t, DF> di8;
  auto sum = hn::Zero(di);
  for (size_t i = 0; i < 16; i += hn::Lanes(df)) {
    const auto rounded = hn::NearestInt(hn::Mul(hn::LoadU(df, x + i), hn::Set(df, inverse)));
    hn::StoreU(hn::DemoteTo(di8, rounded), di8, q + i);
    sum = hn::Add(sum, rounded);
  }
  return hn::ReduceSum(di, sum);
}

void quantize(const float* x, int64_t k, const Int8Row& out) {
  for (int64_t block = 0; block < k / kActBlock; ++block) {
    const float* values = x + block * kActBlock;
    int8_t* q = out.q + block * kActBlock;
    const int32_t bits = largest_bits(values);
    const bool is_finite = bits < 0x7F80'0000;
    float largest;
    hwy::CopySameSize(&bits, &largest);
    float scale = largest / 127.0F;
    // Below the least normal scale 127 / max|x| could overflow.
    const bool is_zero = !is_finite || scale < std::numeric_limits<float>::min();
    if (is_zero) scale = is_finite ? 0.0F : std::numeric_limits<float>::quiet_NaN();
    int32_t low = 0;
    int32_t high = 0;
    if (is_zero) {
      hwy::ZeroBytes(q, static_cast<size_t>(kActBlock));
    } else {
      const float inverse = 127.0F / largest;
      low = round_16(values, inverse, q);
      high = round_16(values + 16, inverse, q + 16);
    }
    out.scale[block] = scale;
    out.sum[block] = scale * static_cast<float>(low + high);
    out.sum16[2 * block] = static_cast<int16_t>(low);
    out.sum16[2 * block + 1] = static_cast<int16_t>(high);
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {

HWY_EXPORT(quantize);

constexpr uint64_t kAlign = 64;

uint64_t padded(int64_t bytes) { return (static_cast<uint64_t>(bytes) + kAlign - 1) / kAlign * kAlign; }

uint64_t q_bytes(int64_t rows, int64_t k) { return padded(rows * k); }
uint64_t scale_bytes(int64_t rows, int64_t k) {
  return padded(rows * (k / kActBlock) * static_cast<int64_t>(sizeof(float)));
}
uint64_t sum16_bytes(int64_t rows, int64_t k) {
  return padded(rows * (k / 16) * static_cast<int64_t>(sizeof(int16_t)));
}

}  // namespace

uint64_t Int8Rows::bytes(int64_t rows, int64_t k) {
  return q_bytes(rows, k) + 2 * scale_bytes(rows, k) + sum16_bytes(rows, k);
}

Int8Rows::Int8Rows(std::byte* memory, int64_t rows, int64_t k) : rows_(rows), k_(k) {
  q_ = reinterpret_cast<int8_t*>(memory);
  memory += q_bytes(rows, k);
  scale_ = reinterpret_cast<float*>(memory);
  memory += scale_bytes(rows, k);
  sum_ = reinterpret_cast<float*>(memory);
  memory += scale_bytes(rows, k);
  sum16_ = reinterpret_cast<int16_t*>(memory);
}

void quantize_row(const float* x, int64_t k, const Int8Row& out) {
  HWY_DYNAMIC_DISPATCH(quantize)(x, k, out);
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
