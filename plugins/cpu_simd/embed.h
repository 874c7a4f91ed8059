// The `embed` operator: rows of a table, decoded and scaled.
#pragma once

#include "aprx/kernel_table.hpp"

namespace aprx::cpu {

// y[t] = table[ids[t]] · scale, the row decoded exactly. Throws BackendError for an id outside the table.
void run_embed(const KernelArgs& args);
bool accepts_embed(const NodeView& node, aprx_verdict& verdict);

}  // namespace aprx::cpu
