#include "plugins/cpu_simd/cpu_facts.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace aprx::cpu {
namespace {

// The value of a line "key<tab>: value", or "" if it is a line of another key.
std::string value_of(const std::string& line, std::string_view key) {
  if (!line.starts_with(key)) return "";
  const size_t colon = line.find(": ");
  return colon == std::string::npos ? "" : line.substr(colon + 2);
}

}  // namespace

CpuFacts cpu_facts() {
  CpuFacts facts;
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line) && !line.empty()) {  // the first processor's paragraph
    if (const std::string name = value_of(line, "model name"); !name.empty()) facts.name = name;
    if (const std::string mhz = value_of(line, "cpu MHz"); !mhz.empty()) {
      facts.cycles_per_second = std::max(1.0, std::strtod(mhz.c_str(), nullptr)) * 1e6;
    }
  }
  if (facts.name.empty()) facts.name = "CPU";
  return facts;
}

double estimated_flops(const CpuFacts& facts, uint32_t workers, int64_t vector_bytes) {
  constexpr double kOperationsPerLane = 4;  // two units, each multiplies and adds
  const double lanes = static_cast<double>(vector_bytes) / sizeof(float);
  return facts.cycles_per_second * workers * lanes * kOperationsPerLane;
}

double estimated_bytes_per_second(uint32_t workers) {
  constexpr double kBytesPerCore = 12e9;
  constexpr uint32_t kCoresThatSaturate = 4;
  return kBytesPerCore * std::min(std::max(workers, 1U), kCoresThatSaturate);
}

}  // namespace aprx::cpu
