#include <algorithm>
#include <catch2/generators/catch_generators.hpp>

#include "aprx/backend.hpp"
#include "tests/cpu_ops/check.h"

namespace aprx::test {
namespace {

constexpr DType kCacheDTypes[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0};

Call store(DType dtype, const std::vector<int32_t>& positions) {
  const auto tokens = static_cast<int64_t>(positions.size());
  const std::vector<std::byte> cache(static_cast<size_t>(12 * 2 * row_bytes(dtype, 64)), std::byte{0x11});
  Call call(Op::kKvStore);
  call.view(Role::kK, {tokens, 2, 64}, {200, 70, 1}, random_values(tokens * 200 + 1, 1));
  call.input(Role::kV, {tokens, 2, 64}, random_values(tokens * 128, 2)).integers(Role::kPos, positions);
  call.state(Role::kKCache, dtype, {12, 2, 64}, cache).state(Role::kVCache, dtype, {12, 2, 64}, cache);
  return call;
}

}  // namespace

TEST_CASE("kv_store writes the reference's bytes and no others") {
  for (const DType dtype : kCacheDTypes) {
    INFO(dtype_name(dtype));
    const Call call = store(dtype, {4, 5, 11, 0, 7});
    const Call expected = after(call, reference_rows());
    on_every_target([&] {
      const Call actual = after(call, op_rows());
      CHECK(std::ranges::equal(actual.bytes(Role::kKCache), expected.bytes(Role::kKCache)));
      CHECK(std::ranges::equal(actual.bytes(Role::kVCache), expected.bytes(Role::kVCache)));
    });
  }
}

TEST_CASE("a position outside of the cache is refused before anything is written") {
  const Call call = store(DType::kF32, {3, 12});
  try {
    after(call, op_rows());
    FAIL("position 12 of 12 was taken");
  } catch (const BackendError& error) {
    CHECK(error.status == APRX_BAD_CALL);
    CHECK(error.found == "position 12 is outside of 0 to 11");
  }
}

}  // namespace aprx::test
