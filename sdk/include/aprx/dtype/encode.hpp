// Encoders of rows, for the dtypes that a KV cache may have.
#pragma once

#include <cstdint>
#include <cstring>

#include "aprx/dtype.hpp"
#include "aprx/dtype/f16.hpp"
#include "aprx/dtype/q8_0.hpp"

namespace aprx {

// Encodes `elements` floats, a multiple of the dtype's block, to `dst`, which may have any alignment.
// Thread-safe.
using EncodeFn = void (*)(const float* src, int64_t elements, uint8_t* dst);

inline void encode_f32(const float* src, int64_t elements, uint8_t* dst) {
  if (elements > 0) std::memcpy(dst, src, static_cast<size_t>(elements) * sizeof(float));
}

inline void encode_f16(const float* src, int64_t elements, uint8_t* dst) {
  for (int64_t i = 0; i < elements; ++i) codec::store_u16(codec::f32_to_f16(src[i]), dst + 2 * i);
}

inline void encode_bf16(const float* src, int64_t elements, uint8_t* dst) {
  for (int64_t i = 0; i < elements; ++i) codec::store_u16(codec::f32_to_bf16(src[i]), dst + 2 * i);
}

inline void encode_q8_0(const float* src, int64_t elements, uint8_t* dst) {
  auto* blocks = reinterpret_cast<codec::BlockQ8_0*>(dst);
  const int64_t count = elements / codec::BlockQ8_0::kElements;
  for (int64_t b = 0; b < count; ++b) codec::encode(src + b * codec::BlockQ8_0::kElements, blocks[b]);
}

// The encoder of `dtype`, or nullptr if values can't be stored in it.
constexpr EncodeFn encoder(DType dtype) {
  switch (dtype) {
    case DType::kF32: return encode_f32;
    case DType::kF16: return encode_f16;
    case DType::kBF16: return encode_bf16;
    case DType::kQ8_0: return encode_q8_0;
    default: return nullptr;
  }
}

}  // namespace aprx
