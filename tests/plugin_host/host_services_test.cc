// What plugins get from the host.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/plugin/host_services.h"

namespace aprx::test {
namespace {

TEST_CASE("the host runs loops on its pool and passes the wish to stop on", "[plugin]") {
  ThreadPool pool(3);
  std::atomic<bool> cancelled = false;
  const HostServices services(pool, cancelled, "9.8.7");
  const aprx_host& host = *services.table();
  CHECK(host.struct_size == sizeof(aprx_host));
  CHECK(host.abi_major == APRX_ABI_MAJOR);
  CHECK(host.abi_minor == APRX_ABI_MINOR);
  CHECK(std::string(host.version) == "9.8.7");
  CHECK(host.workers(host.self) == 3);

  std::vector<uint32_t> squares(100);
  host.parallel(
      host.self, 100,
      [](void* argument, uint32_t task, uint32_t) {
        (*static_cast<std::vector<uint32_t>*>(argument))[task] = task * task;
      },
      &squares);
  CHECK(std::accumulate(squares.begin(), squares.end(), 0U) == 328350);

  CHECK(host.cancelled(host.self) == 0);
  cancelled = true;
  CHECK(host.cancelled(host.self) == 1);
}

}  // namespace
}  // namespace aprx::test
