// The largest weights of each dtype beside the largest activations: sums that a 16-bit step would clip.
#include <cmath>
#include <vector>

#include "catch2/catch_test_macros.hpp"
#include "tests/cpu_linear/matrices.h"
#include "tests/cpu_linear/node.h"
#include "tests/cpu_linear/targets.h"

namespace aprx::test {
namespace {

// A block whose bytes are all `fill`, with scales of 1 in its halves, and in its bytes if it has such.
std::vector<uint8_t> filled_block(DType dtype, uint8_t fill, uint8_t byte_scale) {
  std::vector<uint8_t> block(static_cast<size_t>(dtype_info(dtype).block_bytes), fill);
  const auto set_one = [&](size_t at) { codec::store_u16(codec::f32_to_f16(1.0F), block.data() + at); };
  if (dtype == DType::kQ6_K) {
    std::fill(block.begin() + 192, block.begin() + 208, byte_scale);
    set_one(208);
    return block;
  }
  set_one(0);
  if (dtype == DType::kQ4_K || dtype == DType::kQ5_K) {
    set_one(2);
    std::fill(block.begin() + 4, block.begin() + 16, byte_scale);
  }
  return block;
}

std::vector<float> run(DType dtype, const std::vector<uint8_t>& w, const std::vector<float>& x,
                       int64_t tokens) {
  const auto k = static_cast<int64_t>(x.size()) / tokens;
  const auto rows = static_cast<int64_t>(w.size()) / row_bytes(dtype, k);
  std::vector<float> y(static_cast<size_t>(tokens * rows));
  Node(Op::kLinear)
      .operand(Role::kX, tensor_of(DType::kF32, APRX_ACTIVATION, {tokens, k}), x.data())
      .operand(Role::kW, tensor_of(dtype, APRX_WEIGHT, {rows, k}), w.data())
      .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {tokens, rows}), y.data())
      .run({});
  return y;
}

// ±1 in runs of `run`: every step of 8 bits is ±127.
std::vector<float> square_wave(int64_t tokens, int64_t k, int64_t run) {
  std::vector<float> x;
  for (int64_t i = 0; i < tokens * k; ++i) x.push_back(i % k / run % 2 == 0 ? 1.0F : -1.0F);
  return x;
}

constexpr DType kInt8Types[] = {DType::kQ8_0, DType::kQ4_0, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K};
constexpr int64_t kRows = 3;
constexpr int64_t kK = 1280;

}  // namespace

TEST_CASE("no step of an integer dot saturates") {
  for (const DType dtype : kInt8Types) {
    for (const int fill : {0x00, 0x7F, 0x80, 0x81, 0xFF, 0xF0, 0x0F}) {
      for (const int byte_scale : {0x00, 0x7F, 0x80, 0xFF}) {
        const auto block = filled_block(dtype, static_cast<uint8_t>(fill), static_cast<uint8_t>(byte_scale));
        std::vector<uint8_t> w;
        for (int64_t i = 0; i < kRows * kK / dtype_info(dtype).block_elements; ++i) {
          w.insert(w.end(), block.begin(), block.end());
        }
        const std::vector<float> values = decoded(dtype, w);
        for (const int64_t tokens : {1, 9}) {
          for (const int64_t wave : {int64_t{1}, int64_t{16}, int64_t{32}, kK}) {
            const std::vector<float> x = square_wave(tokens, kK, wave);
            const Reference expected = reference(widened(x), values, tokens, kRows, kK);
            on_every_target([&] {
              INFO(dtype_name(dtype) << " fill " << fill << " scales " << byte_scale << " T=" << tokens
                                     << " run of " << wave);
              const std::vector<float> y = run(dtype, w, x, tokens);
              for (size_t i = 0; i < y.size(); ++i) {
                const double largest = expected.size[i] * std::sqrt(static_cast<double>(kK));
                CHECK(std::abs(y[i] - expected.y[i]) <= 1e-6 * largest);
              }
            });
          }
        }
      }
    }
  }
}

TEST_CASE("a NaN scale of a weight reaches the results of its row") {
  for (const DType dtype : kInt8Types) {
    const auto good = filled_block(dtype, 0x11, 0x11);
    auto bad = good;
    codec::store_u16(0x7E00, bad.data() + (dtype == DType::kQ6_K ? 208 : 0));
    const int64_t k = 2 * dtype_info(dtype).block_elements;
    std::vector<uint8_t> w;
    for (int i = 0; i < 6; ++i) {
      const auto& block = i == 3 ? bad : good;  // the second block of the second row
      w.insert(w.end(), block.begin(), block.end());
    }
    for (const int64_t tokens : {1, 9}) {
      const std::vector<float> x = square_wave(tokens, k, 3);
      on_every_target([&] {
        const std::vector<float> y = run(dtype, w, x, tokens);
        for (size_t i = 0; i < y.size(); ++i) CHECK(std::isfinite(y[i]) == (i % 3 != 1));
      });
    }
  }
}

TEST_CASE("halves of every kind widen exactly") {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    std::vector<uint8_t> w(2 * 65536);
    for (uint32_t bits = 0; bits < 65536; ++bits)
      codec::store_u16(static_cast<uint16_t>(bits), w.data() + 2 * bits);
    const std::vector<float> values = decoded(dtype, w);
    for (const int64_t tokens : {1, 2}) {
      const std::vector<float> x(static_cast<size_t>(tokens), 1.0F);
      on_every_target([&] {
        const std::vector<float> y = run(dtype, w, x, tokens);
        int wrong = 0;
        for (size_t i = 0; i < values.size(); ++i) {
          wrong += std::isnan(values[i]) ? !std::isnan(y[i]) : y[i] != values[i];
        }
        CHECK(wrong == 0);
      });
    }
  }
}

}  // namespace aprx::test
