// What the kernels of this folder take: limits that probe() reports, and checks of values at run time.
#pragma once

#include <cstdint>
#include <span>

#include "aprx/kernel_table.hpp"

namespace aprx::cpu {

// Limits of all operators here: activations F32, no more axes than a tensor may have.
bool accepts_any(const NodeView& node, aprx_verdict& verdict);

bool accepts_unary(const NodeView& node, aprx_verdict& verdict);
bool accepts_glu(const NodeView& node, aprx_verdict& verdict);
bool accepts_gated_rms_norm(const NodeView& node, aprx_verdict& verdict);
bool accepts_rope(const NodeView& node, aprx_verdict& verdict);
bool accepts_kv_store(const NodeView& node, aprx_verdict& verdict);
bool accepts_attention(const NodeView& node, aprx_verdict& verdict);
bool accepts_causal_conv1d(const NodeView& node, aprx_verdict& verdict);
bool accepts_gated_delta_rule(const NodeView& node, aprx_verdict& verdict);

// Throws BackendError unless each index is in 0 .. limit-1; `what` names them: "position".
void check_indices(std::span<const int32_t> indices, int64_t limit, const char* what);

}  // namespace aprx::cpu
