// Total and available memory of the machine, as the kernel and the control group tell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "aprx/abi.h"

namespace aprx {

// Zero where the kernel doesn't say. The limit and use of a version 2 control group count where
// they leave less. Source: proc(5), /proc/meminfo; Linux admin guide, cgroup-v2, memory.max.
inline aprx_memory_info host_memory() {
  aprx_memory_info info{sizeof(aprx_memory_info), 0, 0, 0};
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::string rest;
  uint64_t kib = 0;
  while (meminfo >> key >> kib && std::getline(meminfo, rest)) {
    if (key == "MemTotal:") info.total = kib * 1024;
    if (key == "MemAvailable:") info.free = kib * 1024;
  }
  uint64_t limit = 0;
  uint64_t used = 0;
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  std::ifstream used_file("/sys/fs/cgroup/memory.current");
  if (limit_file >> limit && used_file >> used) {
    info.total = std::min(info.total, limit);
    info.free = std::min(info.free, limit > used ? limit - used : 0);
  }
  return info;
}

}  // namespace aprx
