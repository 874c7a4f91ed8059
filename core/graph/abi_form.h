// Nodes and tensors in the form in which they cross the plugin ABI.
#pragma once

#include <vector>

#include "aprx/abi.h"
#include "core/graph/graph.h"

namespace aprx {

[[nodiscard]] aprx_tensor abi_tensor(const Tensor& tensor);

// One node with just its own tensors, numbered from 0. Keeps what its pointers point to; not copyable.
class AbiNode {
 public:
  AbiNode(const Graph& graph, const Node& node);
  AbiNode(const AbiNode&) = delete;
  AbiNode& operator=(const AbiNode&) = delete;

  [[nodiscard]] const aprx_node& node() const { return node_; }
  [[nodiscard]] const std::vector<aprx_tensor>& tensors() const { return tensors_; }

 private:
  std::vector<aprx_tensor> tensors_;
  std::vector<aprx_operand> operands_;
  aprx_node node_;
};

// A run of nodes with all their tensors. `tensor_ids` maps the form's tensor numbers to the graph's.
class AbiNodes {
 public:
  AbiNodes(const Graph& graph, std::span<const Node> nodes);
  AbiNodes(const AbiNodes&) = delete;
  AbiNodes& operator=(const AbiNodes&) = delete;

  [[nodiscard]] const std::vector<aprx_node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<aprx_tensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::vector<TensorId>& tensor_ids() const { return tensor_ids_; }

 private:
  std::vector<TensorId> tensor_ids_;
  std::vector<aprx_tensor> tensors_;
  std::vector<std::vector<aprx_operand>> operands_;
  std::vector<aprx_node> nodes_;
};

}  // namespace aprx
