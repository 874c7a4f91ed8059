// A model as nodes over named tensors. A graph knows shapes and dtypes, not devices.
//
// It grows by adding tensors, states and nodes; nothing is ever removed or changed, except that
// expanding a composite replaces its node. Not thread-safe while it grows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aprx/abi.h"
#include "aprx/dtype.hpp"
#include "aprx/op.hpp"

namespace aprx {

using TensorId = uint32_t;
inline constexpr TensorId kNoTensor = UINT32_MAX;

// Axis 0 of an activation may be a count that is known only when the graph runs.
inline constexpr int64_t kTokensDim = APRX_DIM_TOKENS;
inline constexpr int64_t kRowsDim = APRX_DIM_ROWS;

struct Tensor {
  std::string name;  // of weights: the name in the user's file
  DType dtype = DType::kF32;
  aprx_tensor_kind kind = APRX_ACTIVATION;
  std::vector<int64_t> shape;   // outermost first
  std::vector<int64_t> stride;  // elements
  TensorId base = kNoTensor;    // of a view: the activation that it looks into
  int64_t offset = 0;           // of a view: elements from the start of `base`
};

struct Operand {
  Role role = Role::kNone;
  TensorId tensor = kNoTensor;
  bool is_output = false;
};

struct Node {
  Op op = Op::kNone;
  std::string label;  // where it stands in the model: "blk.3", "head"
  std::vector<Operand> operands;
  std::vector<aprx_attribute> attributes;  // sorted by id; complete

  [[nodiscard]] TensorId find(Role role, size_t nth = 0) const;
  [[nodiscard]] const aprx_attribute* attribute(Attr id) const;
  [[nodiscard]] int64_t integer(Attr id) const;  // precondition: present
  [[nodiscard]] double real(Attr id) const;      // precondition: present
};

class Graph {
 public:
  TensorId add_weight(std::string name, DType dtype, std::vector<int64_t> shape, aprx_tensor_kind kind);
  TensorId add_input(std::string name, int64_t dynamic_dim);  // I32 [tokens] or [rows]
  TensorId add_state(std::string name, DType dtype, std::vector<int64_t> shape);
  // F32, contiguous. A name that is taken gets a number behind it, so that each names one activation.
  TensorId add_activation(std::string name, std::vector<int64_t> shape);
  // A strided look into an activation; the last axis stays contiguous.
  TensorId add_view(TensorId of, std::vector<int64_t> shape, std::vector<int64_t> stride, int64_t offset);
  // The same elements in another shape; `of` must be contiguous.
  TensorId add_reshape(TensorId of, std::vector<int64_t> shape);
  void add_node(Node node) { nodes_.push_back(std::move(node)); }
  void set_nodes(std::vector<Node> nodes) { nodes_ = std::move(nodes); }
  // The same graph with weights and vectors of other dtypes: what the model would be in another build.
  [[nodiscard]] Graph with_dtypes(const std::function<DType(const Tensor&)>& dtype_of) const;

  [[nodiscard]] const Tensor& tensor(TensorId id) const { return tensors_[id]; }
  [[nodiscard]] std::span<const Tensor> tensors() const { return tensors_; }
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }

  // The graph's own ends. Every graph has them once it is built.
  TensorId ids = kNoTensor;        // I32 [tokens]: token ids
  TensorId positions = kNoTensor;  // I32 [tokens]: position of each token in its sequence
  TensorId rows = kNoTensor;       // I32 [rows]: which tokens' logits are wanted
  TensorId logits = kNoTensor;     // F32 [rows, vocabulary]

  // What states depend on besides the model; set before nodes are added.
  int64_t context = 0;           // positions that a KV cache holds
  DType kv_dtype = DType::kF16;  // of KV caches

 private:
  TensorId add(Tensor tensor);

  std::vector<Tensor> tensors_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, int> activation_names_;  // how often each was asked for
};

[[nodiscard]] std::vector<int64_t> contiguous_strides(std::span<const int64_t> shape);
[[nodiscard]] std::string shape_text(std::span<const int64_t> shape);  // "[tokens, 4, 64]"

// Bytes of a tensor when it runs with these counts. Views and weights included.
[[nodiscard]] uint64_t tensor_bytes(const Tensor& tensor, uint32_t tokens, uint32_t rows);

// The tensor that owns the memory: the base of a view, else itself.
[[nodiscard]] TensorId root_of(const Graph& graph, TensorId id);

}  // namespace aprx
