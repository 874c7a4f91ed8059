// The kernel table: the one list that a backend probes, dispatches and is listed from.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <span>

#include "aprx/abi.h"
#include "aprx/dtype.hpp"
#include "aprx/kernel.hpp"
#include "aprx/op.hpp"

namespace aprx {

// One kernel: an operator, the dtype it is for, its limits, and the function that runs.
struct KernelRow {
  Op op = Op::kNone;
  // The operand whose dtype picks the row (`w`, `table`, `k_cache`), or kNone if none does.
  Role typed = Role::kNone;
  DType dtype = DType::kUnknown;
  const char* name = "";
  KernelFn run = nullptr;
  // Limits beyond operator and dtype: returns false and fills reason, role and detail (see
  // refuse()) if the row can't take this node. nullptr: no further limits.
  bool (*accepts)(const NodeView& node, aprx_verdict& verdict) = nullptr;
  // Scratch that the kernel wants for this node with `workers` threads, in bytes. nullptr: none.
  uint64_t (*scratch_bytes)(const NodeView& node, uint32_t workers) = nullptr;
};

// Fills a refusal; the detail is facts only, printf-style. Returns false, for `return refuse(…)`.
__attribute__((format(printf, 4, 5))) inline bool refuse(aprx_verdict& verdict, aprx_reason reason, Role role,
                                                         const char* format, ...) {
  verdict.reason = reason;
  verdict.stage = APRX_STAGE_LIMITS;
  verdict.role = static_cast<uint32_t>(role);
  va_list list;
  va_start(list, format);
  std::vsnprintf(verdict.detail, sizeof verdict.detail, format, list);
  va_end(list);
  return false;
}

// Whether the operand that the row is made for has the row's dtype; a row made for none takes any.
inline bool has_dtype_of(const KernelRow& row, const NodeView& node) {
  if (row.typed == Role::kNone) return true;
  const aprx_tensor* typed = node.find(row.typed);
  return typed != nullptr && typed->dtype == static_cast<uint32_t>(row.dtype);
}

// Finds the row for a node. The verdict says how far the look-up came: operator, dtype, limits.
inline const KernelRow* find_row(std::span<const KernelRow> rows, const NodeView& node,
                                 aprx_verdict& verdict) {
  verdict.reason = APRX_OPERATOR_UNSUPPORTED;
  verdict.stage = APRX_STAGE_OPERATOR;
  verdict.role = 0;
  verdict.detail[0] = '\0';
  for (const KernelRow& row : rows) {
    if (row.op != node.op()) continue;
    if (!has_dtype_of(row, node)) {
      if (verdict.stage >= APRX_STAGE_DTYPE) continue;
      verdict.reason = APRX_DTYPE_UNSUPPORTED;
      verdict.stage = APRX_STAGE_DTYPE;
      verdict.role = static_cast<uint32_t>(row.typed);
      continue;
    }
    if (row.accepts != nullptr && !row.accepts(node, verdict)) continue;
    verdict.reason = APRX_SUPPORTED;
    verdict.stage = APRX_STAGE_DONE;
    verdict.role = 0;
    verdict.detail[0] = '\0';
    return &row;
  }
  return nullptr;
}

}  // namespace aprx
