#include "core/base/thread_count.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace aprx {

namespace {

namespace fs = std::filesystem;

// Processors in the affinity mask; the mask of a large machine may need more than the usual bits.
uint32_t allowed_processors() {
  for (size_t processors = CPU_SETSIZE; processors <= size_t{1} << 20U; processors *= 2) {
    std::vector<cpu_set_t> mask(processors / CPU_SETSIZE);
    const size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
    return static_cast<uint32_t>(CPU_COUNT_S(bytes, mask.data()));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

// "QUOTA PERIOD" or "max PERIOD", in microseconds.
std::optional<double> limit_of_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  return std::strtod(quota.c_str(), nullptr) / period;
}

std::optional<double> limit_of_v1(const fs::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// The least limit of `group` and of the groups around it, up to `root`.
template <typename LimitOf>
std::optional<double> least_limit(const fs::path& root, const fs::path& group, const LimitOf& limit_of) {
  std::optional<double> least;
  fs::path at = group.relative_path();
  while (true) {
    const std::optional<double> limit = limit_of(at.empty() ? root : root / at);
    if (limit) least = std::min(*limit, least.value_or(*limit));
    if (at.empty()) return least;
    at = at.parent_path();
  }
}

struct Membership {
  std::string controllers;  // empty for version 2
  fs::path group;
};

// A line reads ID:CONTROLLERS:GROUP.
std::optional<Membership> parse_line(const std::string& line) {
  const size_t first = line.find(':');
  const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return Membership{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

bool names_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::optional<double> cgroup_cpu_limit(const fs::path& membership, const fs::path& root) {
  std::ifstream file(membership);
  std::optional<double> least;
  for (std::string line; std::getline(file, line);) {
    const std::optional<Membership> member = parse_line(line);
    if (!member) continue;
    std::optional<double> limit;
    if (member->controllers.empty()) limit = least_limit(root, member->group, limit_of_v2);
    if (names_cpu(member->controllers)) limit = least_limit(root / "cpu", member->group, limit_of_v1);
    if (limit) least = std::min(*limit, least.value_or(*limit));
  }
  return least;
}

uint32_t default_thread_count() {
  const uint32_t processors = std::max(1U, allowed_processors());
  const std::optional<double> limit = cgroup_cpu_limit("/proc/self/cgroup", "/sys/fs/cgroup");
  if (!limit) return processors;
  return std::clamp(static_cast<uint32_t>(std::ceil(std::min(*limit, 1e6))), 1U, processors);
}

}  // namespace aprx
