#include "plugins/cpu_simd/self_test.h"

#include <cstddef>

#include "aprx/dtype/f16.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/self_test.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// out[i] = a[i] · 3 + half[i], the sum of them, and the sums of products of bytes and of bfloat16.
struct Products {
  float sum;
  int32_t bytes;
  float bfloats;
};

Products multiply(const float* a, const uint16_t* half, const uint8_t* u, const int8_t* s, const uint16_t* bf,
                  float* out, size_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const hn::Repartition<uint8_t, decltype(d)> du8;
  const hn::Repartition<int8_t, decltype(d)> di8;
  const hn::Repartition<hwy::bfloat16_t, decltype(d)> dbf;
  auto sum = hn::Zero(d);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto wide = hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(half) + i));
    const auto y = hn::MulAdd(hn::LoadU(d, a + i), hn::Set(d, 3.0F), wide);
    hn::StoreU(y, d, out + i);
    sum = hn::Add(sum, y);
  }
  auto bytes = hn::Zero(di);
  for (size_t i = 0; i < n; i += hn::Lanes(du8)) {
    bytes = hn::SumOfMulQuadAccumulate(di, hn::LoadU(du8, u + i), hn::LoadU(di8, s + i), bytes);
  }
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  for (size_t i = 0; i < n; i += hn::Lanes(dbf)) {
    const auto v = hn::LoadU(dbf, reinterpret_cast<const hwy::bfloat16_t*>(bf) + i);
    even = hn::ReorderWidenMulAccumulate(d, v, v, even, odd);
  }
  return {hn::ReduceSum(d, sum), hn::ReduceSum(di, bytes), hn::ReduceSum(d, hn::Add(even, odd))};
}

bool passes() {
  constexpr size_t kCount = 256;  // a multiple of the bytes of any vector
  float a[kCount];
  float out[kCount];
  uint16_t half[kCount];
  uint16_t bf[kCount];
  uint8_t u[kCount];
  int8_t s[kCount];
  float sum = 0;
  int32_t bytes = 0;
  float bfloats = 0;
  for (size_t i = 0; i < kCount; ++i) {
    const auto number = static_cast<float>(i % 13) - 6.0F;
    a[i] = number;
    half[i] = codec::f32_to_f16(number + 1.0F);
    bf[i] = codec::f32_to_bf16(number);
    u[i] = static_cast<uint8_t>(i % 100);
    s[i] = static_cast<int8_t>(static_cast<int>(i % 13) - 6);
    sum += 4.0F * number + 1.0F;
    bytes += static_cast<int32_t>(u[i]) * s[i];
    bfloats += number * number;
  }
  const Products products = multiply(a, half, u, s, bf, out, kCount);
  bool is_right = products.sum == sum && products.bytes == bytes && products.bfloats == bfloats;
  for (size_t i = 0; i < kCount; ++i) is_right = is_right && out[i] == 4.0F * a[i] + 1.0F;
  return is_right;
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {

HWY_EXPORT(passes);

int64_t compiled_targets() { return HWY_TARGETS; }
bool self_test_passes() { return HWY_DYNAMIC_DISPATCH(passes)(); }

}  // namespace aprx::cpu
#endif  // HWY_ONCE
