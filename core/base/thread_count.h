// How many threads this process should use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace aprx {

// The processors that this process may run on, bounded by the CPU limit of its control group
// (rounded up); at least 1.
[[nodiscard]] uint32_t default_thread_count();

// The CPU limit of the control group that the file `membership` (/proc/self/cgroup) names, looked up
// below `root` (/sys/fs/cgroup): the least of the group's own and those of the groups around it,
// in processors. Nothing if there is no limit. Versions 1 and 2.
[[nodiscard]] std::optional<double> cgroup_cpu_limit(const std::filesystem::path& membership,
                                                     const std::filesystem::path& root);

}  // namespace aprx
