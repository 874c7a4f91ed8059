// The kernel table of the backend: what it probes, dispatches and lists from.
#pragma once

#include <vector>

#include "aprx/kernel_table.hpp"

namespace aprx::cpu {

std::vector<KernelRow> kernel_table();

}  // namespace aprx::cpu
