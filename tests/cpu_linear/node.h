// A node with its tensors, run through the kernel table as a backend would.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "aprx/kernel_table.hpp"
#include "plugins/cpu_simd/linear.h"

namespace aprx::test {

inline aprx_tensor tensor_of(DType dtype, uint32_t kind, std::vector<int64_t> shape, int64_t row_stride = 0) {
  aprx_tensor t{};
  t.struct_size = sizeof t;
  t.dtype = static_cast<uint32_t>(dtype);
  t.kind = kind;
  t.rank = static_cast<uint32_t>(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    t.shape[i] = shape[i];
    t.stride[i] = i == 0 && row_stride > 0 ? row_stride : stride;
    stride *= shape[i];
  }
  return t;
}

// Memory aligned as a workspace is, with a mark behind it that must survive.
class Scratch {
 public:
  explicit Scratch(size_t size) : memory_(size + 128, kMark), size_(size) {}
  [[nodiscard]] std::span<std::byte> span() {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return {memory_.data() + (64 - address % 64) % 64, size_};
  }
  [[nodiscard]] bool mark_survives() {
    const std::byte* end = span().data() + size_;
    return std::all_of(end, end + 64, [](std::byte b) { return b == kMark; });
  }

 private:
  static constexpr std::byte kMark{0xA5};
  std::vector<std::byte> memory_;
  size_t size_;
};

class Node {
 public:
  explicit Node(Op op) : op_(op) {}

  Node& operand(Role role, aprx_tensor tensor, const void* data, bool is_output = false) {
    operands_.push_back(
        {static_cast<uint32_t>(role), static_cast<uint32_t>(tensors_.size()), is_output ? 1U : 0U, 0});
    tensors_.push_back(tensor);
    data_.push_back(static_cast<std::byte*>(const_cast<void*>(data)));
    return *this;
  }
  Node& output(Role role, aprx_tensor tensor, void* data) { return operand(role, tensor, data, true); }
  Node& real(Attr id, double value) {
    aprx_attribute a{static_cast<uint32_t>(id), APRX_ATTR_REAL, {}};
    a.value.real = value;
    attributes_.push_back(a);
    return *this;
  }

  [[nodiscard]] const KernelRow* probe(aprx_verdict& verdict, uint32_t tokens_max = 512) const {
    const aprx_node node = c_node();
    return find_row(cpu::linear_rows(), NodeView(node, tensors_, tokens_max), verdict);
  }

  // Runs the node with exactly the scratch that its row asks for.
  void run(const Parallel& parallel) const {
    aprx_verdict verdict{};
    const KernelRow* row = probe(verdict);
    if (row == nullptr) throw std::runtime_error(std::string("refused: ") + verdict.detail);
    const aprx_node node = c_node();
    const NodeView view(node, tensors_, 512);
    Scratch scratch(row->scratch_bytes == nullptr ? 0 : row->scratch_bytes(view, parallel.workers()));
    std::vector<KernelOperand> operands;
    for (size_t i = 0; i < operands_.size(); ++i) {
      operands.push_back({static_cast<Role>(operands_[i].role), operands_[i].is_output != 0,
                          view_of(tensors_[i], data_[i])});
    }
    row->run({operands, attributes_, scratch.span(), parallel});
    if (!scratch.mark_survives()) throw std::runtime_error("wrote past the scratch");
  }

 private:
  static TensorView view_of(const aprx_tensor& tensor, std::byte* data) {
    TensorView view;
    view.dtype = static_cast<DType>(tensor.dtype);
    view.kind = tensor.kind;
    view.rank = tensor.rank;
    std::copy(std::begin(tensor.shape), std::end(tensor.shape), std::begin(view.shape));
    std::copy(std::begin(tensor.stride), std::end(tensor.stride), std::begin(view.stride));
    view.data = data;
    return view;
  }
  [[nodiscard]] aprx_node c_node() const {
    return {sizeof(aprx_node),
            static_cast<uint32_t>(op_),
            static_cast<uint32_t>(operands_.size()),
            static_cast<uint32_t>(attributes_.size()),
            operands_.data(),
            attributes_.data()};
  }

  Op op_;
  std::vector<aprx_operand> operands_;
  std::vector<aprx_tensor> tensors_;
  std::vector<std::byte*> data_;
  std::vector<aprx_attribute> attributes_;
};

}  // namespace aprx::test
