// The scalar reference of every operator: what kernels are measured against.
//
// Plain loops in the operators' own words. Sums are kept in F64 and rounded once, transcendental functions
// are evaluated in F64, weights are decoded exactly and activations are never quantized. Thread-safe. Nothing
// is allocated: scratch comes with the call. Semantics, shapes and attributes: docs/operators.md.
#pragma once

#include <span>

#include "aprx/kernel.hpp"
#include "aprx/kernel_table.hpp"

namespace aprx::conformance {

// A kernel table with a row for every operator, and for every dtype that can be decoded (or be a KV cache's).
std::span<const KernelRow> reference_rows();

}  // namespace aprx::conformance
