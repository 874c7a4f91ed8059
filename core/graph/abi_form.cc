#include "core/graph/abi_form.h"

#include <algorithm>
#include <unordered_map>

namespace aprx {

namespace {

aprx_node abi_node(const Node& node, const std::vector<aprx_operand>& operands) {
  return {sizeof(aprx_node),
          static_cast<uint32_t>(node.op),
          static_cast<uint32_t>(operands.size()),
          static_cast<uint32_t>(node.attributes.size()),
          operands.data(),
          node.attributes.data()};
}

}  // namespace

aprx_tensor abi_tensor(const Tensor& tensor) {
  aprx_tensor form{};
  form.struct_size = sizeof form;
  form.dtype = static_cast<uint32_t>(tensor.dtype);
  form.kind = tensor.kind;
  form.rank = static_cast<uint32_t>(tensor.shape.size());
  std::ranges::copy(tensor.shape, form.shape);
  std::ranges::copy(tensor.stride, form.stride);
  return form;
}

AbiNode::AbiNode(const Graph& graph, const Node& node) {
  for (const Operand& operand : node.operands) {
    operands_.push_back({static_cast<uint32_t>(operand.role), static_cast<uint32_t>(tensors_.size()),
                         operand.is_output ? 1U : 0U, 0});
    tensors_.push_back(abi_tensor(graph.tensor(operand.tensor)));
  }
  node_ = abi_node(node, operands_);
}

AbiNodes::AbiNodes(const Graph& graph, std::span<const Node> nodes) {
  std::unordered_map<TensorId, uint32_t> number_of;
  operands_.reserve(nodes.size());
  for (const Node& node : nodes) {
    std::vector<aprx_operand> operands;
    for (const Operand& operand : node.operands) {
      const auto [at, is_new] = number_of.try_emplace(operand.tensor, static_cast<uint32_t>(tensors_.size()));
      if (is_new) {
        tensors_.push_back(abi_tensor(graph.tensor(operand.tensor)));
        tensor_ids_.push_back(operand.tensor);
      }
      operands.push_back({static_cast<uint32_t>(operand.role), at->second, operand.is_output ? 1U : 0U, 0});
    }
    operands_.push_back(std::move(operands));
    nodes_.push_back(abi_node(node, operands_.back()));
  }
}

}  // namespace aprx
