// The operators of this folder. Semantics, shapes and attributes: docs/operators.md. Each runs on the target
// in use, allocates nothing, and gives the same bits for any number of workers.
#pragma once

#include <cstdint>
#include <span>

#include "aprx/kernel.hpp"
#include "aprx/kernel_table.hpp"

namespace aprx::cpu {

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

uint64_t rope_scratch(const NodeView& node, uint32_t workers);
uint64_t attention_scratch(const NodeView& node, uint32_t workers);
uint64_t causal_conv1d_scratch(const NodeView& node, uint32_t workers);

// The rows of the kernel table for all of the above.
std::span<const KernelRow> op_rows();

}  // namespace aprx::cpu
