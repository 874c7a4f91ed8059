// Walks tensors as rows: every leading axis flattened, the last one contiguous.
#pragma once

#include <cstdint>

#include "aprx/kernel.hpp"
#include "aprx/kernel_table.hpp"

namespace aprx::conformance {

inline int64_t last_axis(const TensorView& view) { return view.shape[view.rank - 1]; }

inline int64_t row_count(const TensorView& view) {
  int64_t rows = 1;
  for (uint32_t axis = 0; axis + 1 < view.rank; ++axis) rows *= view.shape[axis];
  return rows;
}

// Row `r` of an F32 tensor, counted in row-major order over the leading axes, whatever their strides are.
inline float* flat_row(const TensorView& view, int64_t r) {
  int64_t offset = 0;
  for (uint32_t axis = view.rank - 1; axis-- > 0;) {
    offset += r % view.shape[axis] * view.stride[axis];
    r /= view.shape[axis];
  }
  return view.f32() + offset;
}

// y[i] = f(x[i]) over tensors of equal shape.
template <typename Function>
void map(const TensorView& x, const TensorView& y, const Function& f) {
  for (int64_t r = 0; r < row_count(y); ++r) {
    const float* in = flat_row(x, r);
    float* out = flat_row(y, r);
    for (int64_t i = 0; i < last_axis(y); ++i) out[i] = f(in[i]);
  }
}

// y[i] = f(a[i], b[i]); b has the shape of a or of its trailing axes.
template <typename Function>
void map2(const TensorView& a, const TensorView& b, const TensorView& y, const Function& f) {
  for (int64_t r = 0; r < row_count(y); ++r) {
    const float* left = flat_row(a, r);
    const float* right = flat_row(b, r % row_count(b));
    float* out = flat_row(y, r);
    for (int64_t i = 0; i < last_axis(y); ++i) out[i] = f(left[i], right[i]);
  }
}

// Scratch of one worker, rounded so that workers don't share cache lines.
constexpr uint64_t padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// Refuses a dtype whose blocks don't divide the rows of operand `role`.
inline bool rows_are_whole_blocks(const NodeView& node, Role role, aprx_verdict& verdict) {
  const aprx_tensor& tensor = *node.find(role);
  const int64_t elements = tensor.shape[tensor.rank - 1];
  const int64_t block = dtype_info(static_cast<DType>(tensor.dtype)).block_elements;
  if (elements % block == 0) return true;
  return refuse(verdict, APRX_SHAPE_UNSUPPORTED, role, "row of %lld values is not a multiple of %lld",
                static_cast<long long>(elements), static_cast<long long>(block));
}

// The word that attribute `id` of a node holds, or Word::kNone.
inline Word word_of(const NodeView& node, Attr id) {
  const aprx_attribute* attribute = node.attribute(id);
  return attribute == nullptr ? Word::kNone : static_cast<Word>(attribute->value.integer);
}

inline bool refuse_word(aprx_verdict& verdict, Attr id, Word word) {
  return refuse(verdict, APRX_ATTRIBUTE_UNSUPPORTED, Role::kNone, "%s=%s", attr_name(id).data(),
                word_name(word).data());
}

}  // namespace aprx::conformance
