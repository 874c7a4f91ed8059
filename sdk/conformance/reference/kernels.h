// The kernels, one a file, and the limits that the table gives them.
#pragma once

#include <cstdint>

#include "aprx/kernel.hpp"
#include "aprx/kernel_table.hpp"

namespace aprx::conformance {

void embed(const KernelArgs& args);
void linear(const KernelArgs& args);
void add(const KernelArgs& args);
void mul(const KernelArgs& args);
void scale(const KernelArgs& args);
void unary(const KernelArgs& args);
void softcap(const KernelArgs& args);
void glu(const KernelArgs& args);
void rms_norm(const KernelArgs& args);
void l2_norm(const KernelArgs& args);
void gated_rms_norm(const KernelArgs& args);
void rope(const KernelArgs& args);
void kv_store(const KernelArgs& args);
void attention(const KernelArgs& args);
void causal_conv1d(const KernelArgs& args);
void delta_gate(const KernelArgs& args);
void gated_delta_rule(const KernelArgs& args);
void take_rows(const KernelArgs& args);

bool embed_accepts(const NodeView& node, aprx_verdict& verdict);
bool linear_accepts(const NodeView& node, aprx_verdict& verdict);
bool unary_accepts(const NodeView& node, aprx_verdict& verdict);
bool glu_accepts(const NodeView& node, aprx_verdict& verdict);
bool gated_rms_norm_accepts(const NodeView& node, aprx_verdict& verdict);
bool rope_accepts(const NodeView& node, aprx_verdict& verdict);
bool kv_store_accepts(const NodeView& node, aprx_verdict& verdict);
bool attention_accepts(const NodeView& node, aprx_verdict& verdict);
bool causal_conv1d_accepts(const NodeView& node, aprx_verdict& verdict);
bool gated_delta_rule_accepts(const NodeView& node, aprx_verdict& verdict);

uint64_t embed_scratch(const NodeView& node, uint32_t workers);
uint64_t linear_scratch(const NodeView& node, uint32_t workers);
uint64_t attention_scratch(const NodeView& node, uint32_t workers);
uint64_t gated_delta_rule_scratch(const NodeView& node, uint32_t workers);

}  // namespace aprx::conformance
