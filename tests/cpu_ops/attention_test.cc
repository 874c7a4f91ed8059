#include <catch2/generators/catch_generators.hpp>
#include <cmath>

#include "aprx/dtype/encode.hpp"
#include "tests/cpu_ops/check.h"

namespace aprx::test {
namespace {

constexpr DType kCacheDTypes[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0};

struct Shape {
  int64_t heads;
  int64_t kv_heads;
  int64_t width;
  int64_t length;  // of the cache
};

std::vector<std::byte> cache_of(DType dtype, const Shape& shape, uint32_t seed) {
  const int64_t rows = shape.length * shape.kv_heads;
  const Values values = random_values(rows * shape.width, seed);
  std::vector<std::byte> cache(static_cast<size_t>(rows * row_bytes(dtype, shape.width)));
  encoder(dtype)(values.data(), rows * shape.width, reinterpret_cast<uint8_t*>(cache.data()));
  return cache;
}

Call attention(const Shape& shape, DType dtype, const std::vector<int32_t>& positions) {
  const auto tokens = static_cast<int64_t>(positions.size());
  Call call(Op::kAttention);
  call.input(Role::kQ, {tokens, shape.heads, shape.width},
             random_values(tokens * shape.heads * shape.width, 1));
  call.integers(Role::kPos, positions).output(Role::kY, {tokens, shape.heads, shape.width});
  const std::vector<int64_t> cache = {shape.length, shape.kv_heads, shape.width};
  call.state(Role::kKCache, dtype, cache, cache_of(dtype, shape, 2));
  call.state(Role::kVCache, dtype, cache, cache_of(dtype, shape, 3));
  return call.real(Attr::kScale, 1.0 / std::sqrt(static_cast<double>(shape.width)));
}

Call plain(Call call) { return call.integer(Attr::kWindow, 0).real(Attr::kSoftcap, 0.0); }

}  // namespace

TEST_CASE("attention meets the reference for every cache dtype") {
  const int64_t tokens = GENERATE(1, 3, 40);
  for (const DType dtype : kCacheDTypes) {
    INFO(dtype_name(dtype) << ", " << tokens << " tokens");
    check_call(plain(attention({8, 2, 64, 110}, dtype, positions_from(70, tokens))), {Role::kY}, kNormal);
  }
}

TEST_CASE("attention meets the reference at odd widths and for every way to share heads") {
  const Shape shape =
      GENERATE(Shape{2, 1, 256, 50}, Shape{4, 4, 17, 50}, Shape{9, 3, 64, 50}, Shape{5, 2, 72, 50},
               Shape{1, 1, 1, 50}, Shape{70, 1, 8, 50}, Shape{6, 2, 33, 50});
  const DType dtype = GENERATE(DType::kF32, DType::kF16, DType::kBF16);
  const int64_t tokens = GENERATE(1, 5, 37);
  INFO(shape.heads << "/" << shape.kv_heads << " heads of " << shape.width << ", " << tokens << " tokens");
  check_call(plain(attention(shape, dtype, positions_from(4, tokens))), {Role::kY}, kNormal);
}

TEST_CASE("a window hides what lies before it, a softcap bends the scores") {
  const int64_t window = GENERATE(0, 1, 5, 33, 64);
  const double softcap = GENERATE(0.0, 2.0);
  const auto [first, tokens] = GENERATE(std::pair{0, 70}, std::pair{90, 1}, std::pair{60, 9});
  Call call = attention({6, 2, 32, 100}, DType::kF32, positions_from(first, tokens));
  call.integer(Attr::kWindow, window).real(Attr::kSoftcap, softcap);
  INFO("window " << window << ", softcap " << softcap << ", " << tokens << " tokens from " << first);
  check_call(call, {Role::kY}, kNormal);
}

TEST_CASE("long contexts are split and merged") {
  const DType dtype = GENERATE(DType::kF16, DType::kQ8_0);
  const int64_t tokens = GENERATE(1, 3, 20);
  check_call(plain(attention({8, 2, 32, 5000}, dtype, positions_from(4970, tokens))), {Role::kY}, kNormal);
  Call windowed = attention({4, 2, 32, 5000}, dtype, positions_from(3000, tokens));
  check_call(windowed.integer(Attr::kWindow, 1777).real(Attr::kSoftcap, 0.0), {Role::kY}, kNormal);
}

TEST_CASE("a context of 32768 positions stays within tolerance") {
  check_call(plain(attention({4, 1, 64, 32768}, DType::kF16, {32767})), {Role::kY}, kNormal);
}

TEST_CASE("tokens attended together or one by one give the same") {
  const Shape shape{8, 2, 64, 700};
  const int64_t together = 130;
  const Call all = plain(attention(shape, DType::kF16, positions_from(500, together)));
  on_every_target([&] {
    const Values expected = after(all, op_rows()).floats(Role::kY);
    const int64_t row = shape.heads * shape.width;
    const Values q = random_values(together * row, 1);
    Values parts;
    for (int64_t begin = 0, n = 1; begin < together; begin += n, n = begin % 3 == 0 ? 64 : 7) {
      n = std::min(n, together - begin);
      Call part(Op::kAttention);
      part.input(Role::kQ, {n, shape.heads, shape.width},
                 std::span(q).subspan(size_t(begin * row), size_t(n * row)));
      part.integers(Role::kPos, positions_from(500 + static_cast<int32_t>(begin), n));
      part.output(Role::kY, {n, shape.heads, shape.width}).real(Attr::kScale, 1.0 / 8);
      const std::vector<int64_t> cache = {shape.length, shape.kv_heads, shape.width};
      part.state(Role::kKCache, DType::kF16, cache, cache_of(DType::kF16, shape, 2));
      part.state(Role::kVCache, DType::kF16, cache, cache_of(DType::kF16, shape, 3));
      const Values y = after(plain(part), op_rows()).floats(Role::kY);
      parts.insert(parts.end(), y.begin(), y.end());
    }
    CHECK(normalized_error(parts, expected) <= kNormal);
  });
}

TEST_CASE("what later positions hold does not reach earlier tokens") {
  Values v = random_values(40 * 16, 3);
  std::fill(v.begin() + 12 * 16, v.end(), std::nanf(""));
  Call call(Op::kAttention);
  call.input(Role::kQ, {20, 4, 16}, random_values(20 * 64, 1)).integers(Role::kPos, positions_from(0, 20));
  call.state(Role::kKCache, {40, 1, 16}, random_values(40 * 16, 2)).state(Role::kVCache, {40, 1, 16}, v);
  call.output(Role::kY, {20, 4, 16}).real(Attr::kScale, 0.25);
  on_every_target([&] {
    const Values y = after(plain(call), op_rows()).floats(Role::kY);
    const auto is_nan = [](float x) { return std::isnan(x); };
    CHECK(std::none_of(y.begin(), y.begin() + 12 * 64, is_nan));
    CHECK(std::all_of(y.begin() + 12 * 64, y.end(), is_nan));
  });
}

TEST_CASE("halves that are subnormal, infinite or not a number are widened as they are") {
  Values v(16, 1.0F);
  v[1] = 3e-7F;
  v[2] = std::numeric_limits<float>::infinity();
  v[3] = -6.0e-8F;
  v[4] = std::nanf("");
  v[5] = -65504.0F;
  std::vector<std::byte> cache(16 * 2);
  encode_f16(v.data(), 16, reinterpret_cast<uint8_t*>(cache.data()));
  Values decoded(16);
  for (size_t i = 0; i < 16; ++i) decoded[i] = codec::f16_to_f32(codec::f32_to_f16(v[i]));
  Call call(Op::kAttention);
  call.input(Role::kQ, {1, 1, 16}, Values(16, 0.0F)).integers(Role::kPos, std::vector<int32_t>{0});
  const std::vector<std::byte> keys(16 * 2);
  call.state(Role::kKCache, DType::kF16, {1, 1, 16}, keys)
      .state(Role::kVCache, DType::kF16, {1, 1, 16}, cache);
  call.output(Role::kY, {1, 1, 16}).real(Attr::kScale, 1.0);
  on_every_target([&] {
    const Values y = after(plain(call), op_rows()).floats(Role::kY);
    for (size_t i = 0; i < 16; ++i) {
      INFO("value " << i);
      CHECK((y[i] == decoded[i] || (std::isnan(y[i]) && std::isnan(decoded[i]))));
    }
  });
}

TEST_CASE("attention of no tokens reads nothing") {
  Call call(Op::kAttention);
  call.input(Role::kQ, {0, 2, 8}, {}).integers(Role::kPos, {}).output(Role::kY, {0, 2, 8});
  call.state(Role::kKCache, {4, 1, 8}, Values(32)).state(Role::kVCache, {4, 1, 8}, Values(32));
  call.real(Attr::kScale, 1.0);
  CHECK_NOTHROW(after(plain(call), op_rows()));
}

}  // namespace aprx::test
