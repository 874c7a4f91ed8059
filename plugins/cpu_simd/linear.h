// Kernel rows of weights times activations: `linear`, `linear_group` and `embed` for every dtype that can be
// decoded. Meaning of the operators: docs/operators.md.
#pragma once

#include <span>

#include "aprx/kernel_table.hpp"

namespace aprx::cpu {

// Lives as long as the library.
std::span<const KernelRow> linear_rows();

}  // namespace aprx::cpu
