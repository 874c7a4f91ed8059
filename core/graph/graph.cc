#include "core/graph/graph.h"

#include <cassert>

namespace aprx {

TensorId Node::find(Role role, size_t nth) const {
  for (const Operand& operand : operands) {
    if (operand.role == role && nth-- == 0) return operand.tensor;
  }
  return kNoTensor;
}

const aprx_attribute* Node::attribute(Attr id) const {
  for (const aprx_attribute& a : attributes) {
    if (a.id == static_cast<uint32_t>(id)) return &a;
  }
  return nullptr;
}

int64_t Node::integer(Attr id) const {
  const aprx_attribute* a = attribute(id);
  assert(a != nullptr);
  return a->value.integer;
}

double Node::real(Attr id) const {
  const aprx_attribute* a = attribute(id);
  assert(a != nullptr);
  return a->value.real;
}

std::vector<int64_t> contiguous_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> stride(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) stride[i - 1] = stride[i] * shape[i];
  return stride;
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ", ";
    if (shape[i] == kTokensDim) {
      out += "tokens";
    } else if (shape[i] == kRowsDim) {
      out += "rows";
    } else {
      out += std::to_string(shape[i]);
    }
  }
  return out + "]";
}

TensorId Graph::add(Tensor tensor) {
  tensors_.push_back(std::move(tensor));
  return static_cast<TensorId>(tensors_.size() - 1);
}

TensorId Graph::add_weight(std::string name, DType dtype, std::vector<int64_t> shape, aprx_tensor_kind kind) {
  auto stride = contiguous_strides(shape);
  return add({std::move(name), dtype, kind, std::move(shape), std::move(stride), kNoTensor, 0});
}

TensorId Graph::add_input(std::string name, int64_t dynamic_dim) {
  return add({std::move(name), DType::kI32, APRX_INPUT, {dynamic_dim}, {1}, kNoTensor, 0});
}

TensorId Graph::add_state(std::string name, DType dtype, std::vector<int64_t> shape) {
  auto stride = contiguous_strides(shape);
  return add({std::move(name), dtype, APRX_STATE, std::move(shape), std::move(stride), kNoTensor, 0});
}

TensorId Graph::add_activation(std::string name, std::vector<int64_t> shape) {
  auto stride = contiguous_strides(shape);
  const int nth = ++activation_names_[name];
  if (nth > 1) name += "." + std::to_string(nth);
  return add(
      {std::move(name), DType::kF32, APRX_ACTIVATION, std::move(shape), std::move(stride), kNoTensor, 0});
}

TensorId Graph::add_view(TensorId of, std::vector<int64_t> shape, std::vector<int64_t> stride,
                         int64_t offset) {
  const Tensor& seen = tensors_[of];
  const TensorId base = seen.base == kNoTensor ? of : seen.base;
  const int64_t from_base = seen.offset + offset;
  return add({seen.name, seen.dtype, seen.kind, std::move(shape), std::move(stride), base, from_base});
}

TensorId Graph::add_reshape(TensorId of, std::vector<int64_t> shape) {
  assert(tensors_[of].stride == contiguous_strides(tensors_[of].shape));
  auto stride = contiguous_strides(shape);
  return add_view(of, std::move(shape), std::move(stride), 0);
}

Graph Graph::with_dtypes(const std::function<DType(const Tensor&)>& dtype_of) const {
  Graph out = *this;
  for (Tensor& tensor : out.tensors_) {
    if (tensor.kind == APRX_WEIGHT || tensor.kind == APRX_VECTOR) tensor.dtype = dtype_of(tensor);
  }
  return out;
}

uint64_t tensor_bytes(const Tensor& tensor, uint32_t tokens, uint32_t rows) {
  int64_t outer = 1;
  for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
    const int64_t n = tensor.shape[i] == kTokensDim ? tokens
                      : tensor.shape[i] == kRowsDim ? rows
                                                    : tensor.shape[i];
    outer *= n;
  }
  const int64_t last = tensor.shape.back();
  const int64_t width = last == kTokensDim ? tokens : last == kRowsDim ? rows : last;
  return static_cast<uint64_t>(outer * row_bytes(tensor.dtype, width));
}

TensorId root_of(const Graph& graph, TensorId id) {
  const TensorId base = graph.tensor(id).base;
  return base == kNoTensor ? id : base;
}

}  // namespace aprx
