// `linear` of every dtype, at sizes that leave remainders everywhere, against sums in F64.
#include <cmath>
#include <limits>
#include <vector>

#include "catch2/catch_test_macros.hpp"
#include "tests/cpu_linear/fake_host.h"
#include "tests/cpu_linear/matrices.h"
#include "tests/cpu_linear/node.h"
#include "tests/cpu_linear/targets.h"

namespace aprx::test {
namespace {

struct Problem {
  DType dtype;
  int64_t tokens;
  int64_t rows;
  int64_t k;
  std::vector<uint8_t> w;
  std::vector<float> x;
};

Problem problem(DType dtype, int64_t tokens, int64_t rows, int64_t k) {
  std::mt19937 random(kSeed);
  return {dtype,
          tokens,
          rows,
          k,
          random_weights(dtype, rows, k, random),
          gaussian(static_cast<size_t>(tokens * k), random)};
}

std::vector<float> run(const Problem& p, const Parallel& parallel = {}) {
  std::vector<float> y(static_cast<size_t>(p.tokens * p.rows), -1.0F);
  Node(Op::kLinear)
      .operand(Role::kX, tensor_of(DType::kF32, APRX_ACTIVATION, {p.tokens, p.k}), p.x.data())
      .operand(Role::kW, tensor_of(p.dtype, APRX_WEIGHT, {p.rows, p.k}), p.w.data())
      .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {p.tokens, p.rows}), y.data())
      .run(parallel);
  return y;
}

// What the kernels work on: quantized activations where they quantize, else exact ones.
Reference expected_of(const Problem& p) {
  const auto x = has_int8_kernels(p.dtype) ? quantized_activations(p.x) : widened(p.x);
  return reference(x, decoded(p.dtype, p.w), p.tokens, p.rows, p.k);
}

std::vector<int64_t> lengths_of(DType dtype) {
  const int64_t block = dtype_info(dtype).block_elements;
  if (block == 1) return {1, 7, 31, 33, 100, 257};
  // The last one crosses the panels' slices of k.
  return {block, 3 * block, 5 * 256};
}

template <typename Check>
void for_each_dtype(const Check& check) {
  for (const codec::Codec& codec : codec::kCodecs) {
    INFO("dtype " << dtype_name(codec.dtype));
    check(codec.dtype);
  }
}

}  // namespace

TEST_CASE("linear agrees with sums in F64 at odd sizes") {
  for_each_dtype([](DType dtype) {
    for (const int64_t rows : {1, 3, 17, 33}) {
      for (const int64_t k : lengths_of(dtype)) {
        const Problem all = problem(dtype, 70, rows, k);
        const Reference expected = expected_of(all);
        on_every_target([&] {
          for (const int64_t tokens : {1, 2, 3, 7, 8, 9, 33, 70}) {
            INFO("N=" << rows << " K=" << k << " T=" << tokens);
            Problem p = all;
            p.tokens = tokens;
            CHECK(rms_error(run(p), expected) < 1e-5);
          }
        });
      }
    }
  });
}

TEST_CASE("linear stays within the bound of its dtype on Gaussian activations") {
  for_each_dtype([](DType dtype) {
    for (const int64_t tokens : {1, 4, 20}) {
      const Problem p = problem(dtype, tokens, 64, 1024);
      const Reference exact = reference(widened(p.x), decoded(dtype, p.w), p.tokens, p.rows, p.k);
      on_every_target([&] { CHECK(rms_error(run(p), exact) < bound_of(dtype)); });
    }
  });
}

TEST_CASE("linear of no tokens writes nothing") {
  for_each_dtype([](DType dtype) {
    const Problem p = problem(dtype, 0, 3, 256);
    on_every_target([&] { CHECK(run(p).empty()); });
  });
}

TEST_CASE("a row of a batch equals the row alone") {
  for_each_dtype([](DType dtype) {
    const Problem batch = problem(dtype, 33, 35, 512);
    const Reference expected = expected_of(batch);
    on_every_target([&] {
      const std::vector<float> together = run(batch);
      for (const int64_t t : {0, 3, 31, 32}) {
        Problem alone = batch;
        alone.tokens = 1;
        alone.x.erase(alone.x.begin(), alone.x.begin() + t * batch.k);
        const std::vector<float> y = run(alone);
        Reference batched;
        const auto at = t * batch.rows;
        batched.y.assign(together.begin() + at, together.begin() + at + batch.rows);
        batched.size.assign(expected.size.begin() + at, expected.size.begin() + at + batch.rows);
        CHECK(rms_error(y, batched) < 1e-6);
      }
    });
  });
}

TEST_CASE("results don't depend on threads") {
  const FakeHost three(3);
  for_each_dtype([&](DType dtype) {
    for (const int64_t tokens : {1, 3, 9}) {
      const Problem p = problem(dtype, tokens, 259, 512);
      on_every_target([&] { CHECK(run(p) == run(p, three.parallel())); });
    }
  });
}

TEST_CASE("a NaN or an infinity reaches its own row of results and no other") {
  for_each_dtype([](DType dtype) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      for (const int64_t tokens : {1, 3, 9}) {
        Problem p = problem(dtype, tokens, 5, 512);
        p.x[static_cast<size_t>((tokens - 1) * p.k + 301)] = bad;
        on_every_target([&] {
          const std::vector<float> y = run(p);
          for (size_t i = 0; i < y.size(); ++i) {
            CHECK(std::isfinite(y[i]) == (i < static_cast<size_t>((tokens - 1) * p.rows)));
          }
        });
      }
    }
  });
}

TEST_CASE("linear reads strided activations, writes strided results and adds the bias") {
  const std::vector<float> bias = {10, 20, 30, 40, 50};
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kQ8_0, DType::kQ4_K, DType::kIQ4_XS}) {
    for (const int64_t tokens : {1, 2, 9}) {
      const Problem dense = problem(dtype, tokens, 5, 256);
      const std::vector<float> plain = run(dense);
      std::vector<float> x(static_cast<size_t>(tokens * 300), 1e30F);
      for (int64_t t = 0; t < tokens; ++t) {
        std::memcpy(x.data() + t * 300, dense.x.data() + t * 256, 256 * sizeof(float));
      }
      std::vector<float> y(static_cast<size_t>(tokens * 7), -1.0F);
      Node(Op::kLinear)
          .operand(Role::kX, tensor_of(DType::kF32, APRX_ACTIVATION, {tokens, 4, 64}, 300), x.data())
          .operand(Role::kW, tensor_of(dtype, APRX_WEIGHT, {5, 256}), dense.w.data())
          .operand(Role::kBias, tensor_of(DType::kF32, APRX_VECTOR, {5}), bias.data())
          .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {tokens, 5}, 7), y.data())
          .run({});
      for (int64_t t = 0; t < tokens; ++t) {
        for (int64_t r = 0; r < 7; ++r) {
          const float value = y[static_cast<size_t>(t * 7 + r)];
          if (r >= 5) {
            CHECK(value == -1.0F);
          } else {
            CHECK(value == plain[static_cast<size_t>(t * 5 + r)] + bias[static_cast<size_t>(r)]);
          }
        }
      }
    }
  }
}

}  // namespace aprx::test
