// The number of threads follows what the process may really use.
#include <sched.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/thread_count.h"
#include "tests/support/temp_dir.h"

namespace aprx::test {
namespace {

class FakeGroups {
 public:
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  [[nodiscard]] std::optional<double> limit() const {
    return cgroup_cpu_limit(folder_ / "membership", folder_ / "root");
  }

 private:
  TempDir folder_;
};

TEST_CASE("the least CPU limit of a version 2 group and the groups around it counts", "[thread]") {
  FakeGroups groups;
  groups.put("membership", "0::/a/b\n");
  groups.put("root/a/b/cpu.max", "max 100000\n");
  CHECK(groups.limit() == std::nullopt);
  groups.put("root/a/cpu.max", "250000 100000\n");
  CHECK(groups.limit() == 2.5);
  groups.put("root/cpu.max", "400000 100000\n");
  CHECK(groups.limit() == 2.5);
  groups.put("root/a/b/cpu.max", "50000 100000\n");
  CHECK(groups.limit() == 0.5);
}

TEST_CASE("version 1 groups are read from the cpu controller", "[thread]") {
  FakeGroups groups;
  groups.put("membership", "5:memory:/x\n4:cpu,cpuacct:/x\n");
  groups.put("root/cpu/x/cpu.cfs_quota_us", "-1\n");
  groups.put("root/cpu/x/cpu.cfs_period_us", "100000\n");
  CHECK(groups.limit() == std::nullopt);
  groups.put("root/cpu/x/cpu.cfs_quota_us", "300000\n");
  CHECK(groups.limit() == 3.0);
}

TEST_CASE("nothing is limited where nothing says so", "[thread]") {
  FakeGroups groups;
  CHECK(groups.limit() == std::nullopt);
  groups.put("membership", "rubbish\n0::/gone\n");
  CHECK(groups.limit() == std::nullopt);
}

TEST_CASE("the default number of threads stays within the affinity mask", "[thread]") {
  CHECK(default_thread_count() >= 1);
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(default_thread_count() == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}

}  // namespace
}  // namespace aprx::test
