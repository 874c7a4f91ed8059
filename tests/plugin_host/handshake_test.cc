// The rule that decides which plugins fit.
#include <catch2/catch_test_macros.hpp>

#include "core/plugin/handshake.h"

namespace aprx::test {
namespace {

TEST_CASE("while the major version is 0, minor versions must be equal", "[plugin]") {
  CHECK(abi_fits({0, 1}, {0, 1}));
  CHECK_FALSE(abi_fits({0, 1}, {0, 0}));
  CHECK_FALSE(abi_fits({0, 1}, {0, 2}));
}

TEST_CASE("from major version 1 on, only the major version must be equal", "[plugin]") {
  CHECK(abi_fits({1, 3}, {1, 3}));
  CHECK(abi_fits({1, 3}, {1, 0}));
  CHECK(abi_fits({1, 3}, {1, 9}));
  CHECK_FALSE(abi_fits({1, 3}, {0, 3}));
  CHECK_FALSE(abi_fits({1, 3}, {2, 3}));
}

}  // namespace
}  // namespace aprx::test
