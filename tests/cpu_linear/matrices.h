// Random weights of every dtype, Gaussian activations, and what their products must be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "aprx/dtype/decode.hpp"
#include "aprx/dtype/encode.hpp"

namespace aprx::test {

inline constexpr uint32_t kSeed = 20260704;

inline bool is_quantized(DType dtype) { return dtype_info(dtype).block_elements > 1; }

// Whether kernels see these weights beside 8-bit activations.
inline bool has_int8_kernels(DType dtype) { return is_quantized(dtype); }

inline std::vector<float> gaussian(size_t n, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& v : values) v = normal(random);
  return values;
}

inline std::vector<float> decoded(DType dtype, const std::vector<uint8_t>& bytes) {
  const DTypeInfo& info = dtype_info(dtype);
  std::vector<float> values(bytes.size() / static_cast<size_t>(info.block_bytes) *
                            static_cast<size_t>(info.block_elements));
  decoder(dtype)(bytes.data(), static_cast<int64_t>(values.size()), values.data());
  return values;
}

// One block of random bytes whose weights have a sane size: drawn again until they do.
inline std::vector<uint8_t> random_block(DType dtype, std::mt19937& random) {
  std::vector<uint8_t> block(static_cast<size_t>(dtype_info(dtype).block_bytes));
  while (true) {
    for (uint8_t& b : block) b = static_cast<uint8_t>(random());
    double squares = 0;
    const std::vector<float> values = decoded(dtype, block);
    for (const float v : values) squares += double{v} * double{v};
    const double rms = std::sqrt(squares / static_cast<double>(values.size()));
    if (rms > 0.25 && rms < 4.0) return block;  // false for NaN
  }
}

template <typename T>
std::vector<uint8_t> plain_values(size_t n, double scale, std::mt19937& random) {
  std::normal_distribution<double> normal(0.0, scale);
  std::vector<uint8_t> bytes(n * sizeof(T));
  for (size_t i = 0; i < n; ++i) {
    const auto value = static_cast<T>(std::clamp(normal(random), -127.0, 127.0));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

inline std::vector<uint8_t> random_weights(DType dtype, int64_t rows, int64_t k, std::mt19937& random) {
  const auto n = static_cast<size_t>(rows * k);
  switch (dtype) {
    case DType::kF64: return plain_values<double>(n, 1.0, random);
    case DType::kI8: return plain_values<int8_t>(n, 40.0, random);
    case DType::kI16: return plain_values<int16_t>(n, 40.0, random);
    case DType::kI32: return plain_values<int32_t>(n, 40.0, random);
    case DType::kI64: return plain_values<int64_t>(n, 40.0, random);
    default: break;
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(rows * row_bytes(dtype, k)));
  if (!is_quantized(dtype)) {
    const std::vector<float> values = gaussian(n, random);
    encoder(dtype)(values.data(), rows * k, bytes.data());
    return bytes;
  }
  std::vector<std::vector<uint8_t>> pool;
  for (int i = 0; i < 24; ++i) pool.push_back(random_block(dtype, random));
  const size_t block = pool[0].size();
  for (size_t at = 0; at < bytes.size(); at += block) {
    std::memcpy(bytes.data() + at, pool[random() % pool.size()].data(), block);
  }
  return bytes;
}

// Activations as 8-bit kernels see them, by the rule of act/int8_rows.h.
inline std::vector<double> quantized_activations(std::span<const float> x) {
  std::vector<double> values(x.size());
  for (size_t block = 0; block < x.size(); block += 32) {
    float largest = 0;
    for (size_t i = block; i < block + 32; ++i) largest = std::max(largest, std::abs(x[i]));
    const float scale = largest / 127.0F;
    const float inverse = scale < std::numeric_limits<float>::min() ? 0.0F : 127.0F / largest;
    for (size_t i = block; i < block + 32; ++i) {
      values[i] = double{scale} * double{std::nearbyint(x[i] * inverse)};
    }
  }
  return values;
}

struct Reference {
  std::vector<double> y;     // [tokens][rows], summed in F64
  std::vector<double> size;  // √Σ (w·x)² of each: how large a result is where signs are random
};

inline Reference reference(std::span<const double> x, std::span<const float> w, int64_t tokens, int64_t rows,
                           int64_t k) {
  Reference result;
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      double squares = 0;
      for (int64_t i = 0; i < k; ++i) {
        const double product = x[static_cast<size_t>(t * k + i)] * double{w[static_cast<size_t>(r * k + i)]};
        sum += product;
        squares += product * product;
      }
      result.y.push_back(sum);
      result.size.push_back(std::sqrt(squares));
    }
  }
  return result;
}

// Normalized RMS error; the norm is the results' expected one, which is never small by chance.
inline double rms_error(std::span<const float> y, const Reference& expected) {
  double errors = 0;
  double sizes = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    const double error = double{y[i]} - expected.y[i];
    errors += error * error;
    sizes += expected.size[i] * expected.size[i];
  }
  return sizes == 0 ? std::sqrt(errors) : std::sqrt(errors / sizes);
}

inline std::vector<double> widened(std::span<const float> values) { return {values.begin(), values.end()}; }

// The bound against float activations: docs/operators.md.
inline double bound_of(DType dtype) {
  if (!has_int8_kernels(dtype)) return dtype == DType::kF16 ? 5e-4 : dtype == DType::kBF16 ? 2.5e-3 : 5e-6;
  return dtype_info(dtype).block_elements == 256 ? 1e-2 : 8e-3;
}

}  // namespace aprx::test
