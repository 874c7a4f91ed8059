// What the system says about the processor, for listings and the planner's estimates.
#pragma once

#include <cstdint>
#include <string>

namespace aprx::cpu {

struct CpuFacts {
  std::string name;                  // "AMD EPYC 7763 64-Core Processor"; "CPU" where nothing is known
  double cycles_per_second = 2.0e9;  // where nothing is known, a low guess
};

// Source: proc(5), /proc/cpuinfo.
CpuFacts cpu_facts();

// Rough rates of `workers` threads. A core multiplies and adds two vectors of floats a cycle; a few cores
// together use up the memory's bandwidth.
double estimated_flops(const CpuFacts& facts, uint32_t workers, int64_t vector_bytes);
double estimated_bytes_per_second(uint32_t workers);

}  // namespace aprx::cpu
