// Activations of rank 2 or 3 as rows of floats.
#pragma once

#include "aprx/kernel.hpp"
#include "aprx/kernel_table.hpp"

namespace aprx::cpu {

// Elements of a row: all axes but the first.
template <class Tensor>
int64_t row_elements(const Tensor& tensor) {
  int64_t n = 1;
  for (uint32_t i = 1; i < tensor.rank; ++i) n *= tensor.shape[i];
  return n;
}

// Whether a row lies without gaps.
template <class Tensor>
bool has_dense_rows(const Tensor& tensor) {
  int64_t expected = 1;
  for (uint32_t i = tensor.rank; i-- > 1;) {
    if (tensor.shape[i] != 1 && tensor.stride[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

// Rows that a run may bring: the first axis, or the most tokens where it is known only then.
inline int64_t most_rows(const NodeView& node, const aprx_tensor& tensor) {
  return tensor.shape[0] < 0 ? static_cast<int64_t>(node.tokens_max()) : tensor.shape[0];
}

// Whether `role` can be read or written as rows of F32; fills the refusal.
inline bool accepts_float_rows(const aprx_tensor& tensor, Role role, aprx_verdict& verdict) {
  if (tensor.dtype != APRX_F32) {
    return refuse(verdict, APRX_DTYPE_UNSUPPORTED, role, "activations are %s, must be F32",
                  dtype_name(static_cast<DType>(tensor.dtype)).data());
  }
  if (tensor.rank < 2) {
    return refuse(verdict, APRX_SHAPE_UNSUPPORTED, role, "rank %u, must be 2 or more", tensor.rank);
  }
  if (!has_dense_rows(tensor)) return refuse(verdict, APRX_LAYOUT_UNSUPPORTED, role, "a row has gaps");
  return true;
}

// Whether `role` is a matrix of whole blocks, row after row; fills the refusal.
inline bool accepts_weight(const aprx_tensor& tensor, Role role, aprx_verdict& verdict) {
  if (tensor.rank != 2) {
    return refuse(verdict, APRX_SHAPE_UNSUPPORTED, role, "rank %u, must be 2", tensor.rank);
  }
  const int64_t k = tensor.shape[1];
  const DTypeInfo& info = dtype_info(static_cast<DType>(tensor.dtype));
  if (k <= 0 || k % info.block_elements != 0) {
    return refuse(verdict, APRX_SHAPE_UNSUPPORTED, role, "K=%lld is not a multiple of %lld",
                  static_cast<long long>(k), static_cast<long long>(info.block_elements));
  }
  if (tensor.stride[1] != 1 || (tensor.shape[0] != 1 && tensor.stride[0] != k)) {
    return refuse(verdict, APRX_LAYOUT_UNSUPPORTED, role, "rows don't follow each other without gaps");
  }
  return true;
}

}  // namespace aprx::cpu
