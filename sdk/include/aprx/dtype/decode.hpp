// The one table of decoders: from the bytes of a row to floats, for every dtype that holds weights.
//
// Exactness: each scale, minimum and code has so few significant bits that every product in the block
// decoders fits a float's 24. At most one rounding happens for a weight, so all compilers and machines give
// the same bits, contracted multiply-add or not. NaN and infinite scales propagate.
#pragma once

#include <cstdint>
#include <cstring>

#include "aprx/dtype.hpp"
#include "aprx/dtype/f16.hpp"
#include "aprx/dtype/iq1.hpp"
#include "aprx/dtype/iq2.hpp"
#include "aprx/dtype/iq3.hpp"
#include "aprx/dtype/iq4.hpp"
#include "aprx/dtype/mxfp4.hpp"
#include "aprx/dtype/nvfp4.hpp"
#include "aprx/dtype/q1_0.hpp"
#include "aprx/dtype/q2_k.hpp"
#include "aprx/dtype/q3_k.hpp"
#include "aprx/dtype/q4_0.hpp"
#include "aprx/dtype/q4_1.hpp"
#include "aprx/dtype/q4_k.hpp"
#include "aprx/dtype/q5_0.hpp"
#include "aprx/dtype/q5_1.hpp"
#include "aprx/dtype/q5_k.hpp"
#include "aprx/dtype/q6_k.hpp"
#include "aprx/dtype/q8_0.hpp"
#include "aprx/dtype/tq.hpp"

namespace aprx {

// Decodes `elements` values from `src`, which may have any alignment, to `dst`. `elements` is a multiple of
// the dtype's block. Thread-safe.
using DecodeFn = void (*)(const uint8_t* src, int64_t elements, float* dst);

namespace codec {

struct Codec {
  DType dtype;
  DecodeFn decode;
};

template <typename Block>
void decode_blocks(const uint8_t* src, int64_t elements, float* dst) {
  // A block is made of bytes only, so it may lie at any address.
  const auto* blocks = reinterpret_cast<const Block*>(src);
  const int64_t count = elements / Block::kElements;
  for (int64_t b = 0; b < count; ++b) decode(blocks[b], dst + b * Block::kElements);
}

// Values of a machine type, little-endian like the machines that run this; rounded to float where it is
// wider.
template <typename T>
void decode_plain(const uint8_t* src, int64_t elements, float* dst) {
  for (int64_t i = 0; i < elements; ++i) {
    T value;
    std::memcpy(&value, src + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    dst[i] = static_cast<float>(value);
  }
}

inline void decode_f16(const uint8_t* src, int64_t elements, float* dst) {
  for (int64_t i = 0; i < elements; ++i) dst[i] = f16_to_f32(load_u16(src + 2 * i));
}

inline void decode_bf16(const uint8_t* src, int64_t elements, float* dst) {
  for (int64_t i = 0; i < elements; ++i) dst[i] = bf16_to_f32(load_u16(src + 2 * i));
}

template <DType dtype, typename Block>
consteval Codec block_codec() {
  static_assert(Block::kElements == dtype_info(dtype).block_elements);
  static_assert(sizeof(Block) == dtype_info(dtype).block_bytes);
  return {dtype, decode_blocks<Block>};
}

// Q8_1 and Q8_K are absent: they hold activations, no file has weights in them.
inline constexpr Codec kCodecs[] = {
    {DType::kF32, decode_plain<float>},
    {DType::kF16, decode_f16},
    {DType::kBF16, decode_bf16},
    {DType::kF64, decode_plain<double>},
    {DType::kI8, decode_plain<int8_t>},
    {DType::kI16, decode_plain<int16_t>},
    {DType::kI32, decode_plain<int32_t>},
    {DType::kI64, decode_plain<int64_t>},
    block_codec<DType::kQ4_0, BlockQ4_0>(),
    block_codec<DType::kQ4_1, BlockQ4_1>(),
    block_codec<DType::kQ5_0, BlockQ5_0>(),
    block_codec<DType::kQ5_1, BlockQ5_1>(),
    block_codec<DType::kQ8_0, BlockQ8_0>(),
    block_codec<DType::kQ2_K, BlockQ2_K>(),
    block_codec<DType::kQ3_K, BlockQ3_K>(),
    block_codec<DType::kQ4_K, BlockQ4_K>(),
    block_codec<DType::kQ5_K, BlockQ5_K>(),
    block_codec<DType::kQ6_K, BlockQ6_K>(),
    block_codec<DType::kIQ1_S, BlockIQ1_S>(),
    block_codec<DType::kIQ1_M, BlockIQ1_M>(),
    block_codec<DType::kIQ2_XXS, BlockIQ2_XXS>(),
    block_codec<DType::kIQ2_XS, BlockIQ2_XS>(),
    block_codec<DType::kIQ2_S, BlockIQ2_S>(),
    block_codec<DType::kIQ3_XXS, BlockIQ3_XXS>(),
    block_codec<DType::kIQ3_S, BlockIQ3_S>(),
    block_codec<DType::kIQ4_NL, BlockIQ4_NL>(),
    block_codec<DType::kIQ4_XS, BlockIQ4_XS>(),
    block_codec<DType::kTQ1_0, BlockTQ1_0>(),
    block_codec<DType::kTQ2_0, BlockTQ2_0>(),
    block_codec<DType::kMXFP4, BlockMxfp4>(),
    block_codec<DType::kNVFP4, BlockNvfp4>(),
    block_codec<DType::kQ1_0, BlockQ1_0>(),
    block_codec<DType::kQ2_0, BlockQ2_0>(),
};

}  // namespace codec

// The decoder of `dtype`, or nullptr if it can't be decoded.
constexpr DecodeFn decoder(DType dtype) {
  for (const codec::Codec& row : codec::kCodecs) {
    if (row.dtype == dtype) return row.decode;
  }
  return nullptr;
}

}  // namespace aprx
