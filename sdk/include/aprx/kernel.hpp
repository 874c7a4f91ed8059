// What a kernel of a host-memory backend sees: tensors with data, attributes, scratch, threads.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "aprx/abi.h"
#include "aprx/dtype.hpp"
#include "aprx/op.hpp"

namespace aprx {

// A tensor in host memory. Shapes are outermost first, strides count elements, the last axis is
// contiguous. Quantized tensors are never strided within a row: row r of a matrix starts at
// data + r * row_bytes(dtype, shape[1]). Vectors (kind APRX_VECTOR) are always F32 here.
struct TensorView {
  DType dtype = DType::kF32;
  uint32_t kind = APRX_ACTIVATION;
  uint32_t rank = 0;
  int64_t shape[APRX_MAX_RANK] = {};
  int64_t stride[APRX_MAX_RANK] = {};
  std::byte* data = nullptr;

  [[nodiscard]] int64_t elements() const {
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; ++i) n *= shape[i];
    return n;
  }
  // Typed pointer to the first element; use for plain dtypes only.
  template <typename T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data);
  }
  [[nodiscard]] float* f32() const { return as<float>(); }
  // Row `r` of an F32 tensor of any rank (index along axis 0).
  [[nodiscard]] float* row(int64_t r) const { return f32() + r * stride[0]; }
  // Row `r` of a matrix in its own dtype.
  [[nodiscard]] const uint8_t* packed_row(int64_t r) const {
    return reinterpret_cast<const uint8_t*>(data) + r * row_bytes(dtype, shape[rank - 1]);
  }
  // Whether elements lie without gaps in row-major order.
  [[nodiscard]] bool is_contiguous() const {
    int64_t expected = 1;
    for (uint32_t i = rank; i-- > 0;) {
      if (shape[i] != 1 && stride[i] != expected) return false;
      expected *= shape[i];
    }
    return true;
  }
};

// A parallel loop on the host's pool. Not reentrant: no loop inside a task.
class Parallel {
 public:
  Parallel() = default;
  explicit Parallel(const aprx_host* host) : host_(host) {}

  [[nodiscard]] uint32_t workers() const { return host_ == nullptr ? 1 : host_->workers(host_->self); }

  // Calls body(task, worker) for every task in 0 .. tasks-1, worker in 0 .. workers()-1; returns
  // when all are done. Without a host, in this thread.
  template <typename Body>
  void run(uint32_t tasks, const Body& body) const {
    if (host_ == nullptr || tasks <= 1) {
      for (uint32_t t = 0; t < tasks; ++t) body(t, 0U);
      return;
    }
    host_->parallel(
        host_->self, tasks,
        [](void* argument, uint32_t task, uint32_t worker) {
          (*static_cast<const Body*>(argument))(task, worker);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

  // Splits 0 .. count-1 into ranges of at least `grain` and calls body(begin, end, worker) for
  // each. The split depends on count and grain alone, so results don't depend on threads.
  template <typename Body>
  void ranges(int64_t count, int64_t grain, const Body& body) const {
    if (count <= 0) return;
    constexpr int64_t kMostTasks = 64;
    const int64_t tasks =
        std::max<int64_t>(1, std::min<int64_t>(kMostTasks, count / std::max<int64_t>(1, grain)));
    run(static_cast<uint32_t>(tasks), [&](uint32_t task, uint32_t worker) {
      body(count * task / tasks, count * (task + 1) / tasks, worker);
    });
  }

 private:
  const aprx_host* host_ = nullptr;
};

struct KernelOperand {
  Role role = Role::kNone;
  bool is_output = false;
  TensorView tensor;
};

// Everything that a kernel gets. Valid for the call. The kernel allocates nothing: temporary
// memory is `scratch`, whose size its row's `scratch_bytes` asked for (64-byte aligned).
struct KernelArgs {
  std::span<const KernelOperand> operands;
  std::span<const aprx_attribute> attributes;
  std::span<std::byte> scratch;
  Parallel parallel;

  // The operand with this role, or nullptr. Roles repeat in groups: `nth` picks one.
  [[nodiscard]] const TensorView* find(Role role, size_t nth = 0) const {
    for (const KernelOperand& operand : operands) {
      if (operand.role == role && nth-- == 0) return &operand.tensor;
    }
    return nullptr;
  }
  // The operand with this role, which the operator's schema guarantees.
  [[nodiscard]] const TensorView& get(Role role, size_t nth = 0) const {
    const TensorView* tensor = find(role, nth);
    assert(tensor != nullptr);
    return *tensor;
  }
  [[nodiscard]] size_t count(Role role) const {
    size_t n = 0;
    for (const KernelOperand& operand : operands) n += operand.role == role ? 1 : 0;
    return n;
  }
  [[nodiscard]] const aprx_attribute* attribute(Attr id) const {
    for (const aprx_attribute& a : attributes) {
      if (a.id == static_cast<uint32_t>(id)) return &a;
    }
    return nullptr;
  }
  // Attributes that the operator's schema guarantees.
  [[nodiscard]] int64_t integer(Attr id) const {
    const aprx_attribute* a = attribute(id);
    assert(a != nullptr);
    return a->value.integer;
  }
  [[nodiscard]] double real(Attr id) const {
    const aprx_attribute* a = attribute(id);
    assert(a != nullptr);
    return a->value.real;
  }
  [[nodiscard]] Word word(Attr id) const { return static_cast<Word>(integer(id)); }
};

using KernelFn = void (*)(const KernelArgs& args);

// The same facts at probe time: shapes without data. Axis 0 may be APRX_DIM_TOKENS or APRX_DIM_ROWS.
class NodeView {
 public:
  NodeView(const aprx_node& node, std::span<const aprx_tensor> tensors, uint32_t tokens_max)
      : node_(&node), tensors_(tensors), tokens_max_(tokens_max) {}

  [[nodiscard]] Op op() const { return static_cast<Op>(node_->op); }
  [[nodiscard]] uint32_t tokens_max() const { return tokens_max_; }
  [[nodiscard]] std::span<const aprx_operand> operands() const {
    return {node_->operands, node_->operand_count};
  }
  [[nodiscard]] const aprx_tensor& tensor(const aprx_operand& operand) const {
    return tensors_[operand.tensor];
  }
  [[nodiscard]] const aprx_tensor* find(Role role, size_t nth = 0) const {
    for (const aprx_operand& operand : operands()) {
      if (operand.role == static_cast<uint32_t>(role) && nth-- == 0) return &tensors_[operand.tensor];
    }
    return nullptr;
  }
  [[nodiscard]] const aprx_attribute* attribute(Attr id) const {
    for (uint32_t i = 0; i < node_->attribute_count; ++i) {
      if (node_->attributes[i].id == static_cast<uint32_t>(id)) return &node_->attributes[i];
    }
    return nullptr;
  }

 private:
  const aprx_node* node_;
  std::span<const aprx_tensor> tensors_;
  uint32_t tokens_max_;
};

}  // namespace aprx
