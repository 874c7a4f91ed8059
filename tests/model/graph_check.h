// Checks that hold for every well-formed graph.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "core/op/operator.h"

namespace aprx::test {

// What is wrong with the graph; "" if nothing is. Every node must have its operator's operands and
// attributes, read only what was computed before, and give each activation once.
inline std::string graph_mistake(const Graph& graph) {
  std::set<TensorId> computed;
  for (const Node& node : graph.nodes()) {
    const std::string where = node.label + " " + std::string(op_name(node.op)) + ": ";
    const Operator& schema = operator_of(node.op);
    for (const OperandSpec& spec : schema.operands) {
      if (!spec.is_optional && node.find(spec.role) == kNoTensor)
        return where + "lacks " + std::string(role_name(spec.role));
    }
    for (const Operand& operand : node.operands) {
      const auto is_role = [&](const OperandSpec& spec) { return spec.role == operand.role; };
      if (std::ranges::none_of(schema.operands, is_role)) return where + "has another operand";
      const Tensor& tensor = graph.tensor(operand.tensor);
      for (const int64_t axis : tensor.shape) {
        if (axis <= 0 && axis != kTokensDim && axis != kRowsDim)
          return where + tensor.name + " has no extent";
      }
      if (tensor.kind != APRX_ACTIVATION) continue;
      const TensorId root = root_of(graph, operand.tensor);
      if (!operand.is_output && !computed.contains(root))
        return where + "reads " + tensor.name + " too early";
      if (operand.is_output && !computed.insert(root).second)
        return where + "gives " + tensor.name + " again";
    }
    for (const AttributeSpec& spec : schema.attributes) {
      const aprx_attribute* attribute = node.attribute(spec.id);
      if (attribute == nullptr) return where + "lacks attribute " + std::string(attr_name(spec.id));
      const auto word = static_cast<Word>(attribute->value.integer);
      if (spec.type == APRX_ATTR_WORD && std::ranges::find(spec.words, word) == spec.words.end())
        return where + "has a word that isn't allowed";
    }
  }
  if (!computed.contains(graph.logits)) return "gives no logits";
  return "";
}

// The same for what each operator's own shape rule says: completing each node anew must give outputs
// of the shapes that it has.
inline std::string shape_mistake(Graph graph) {
  const std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
  for (const Node& node : nodes) {
    const Operator& schema = operator_of(node.op);
    Node again{node.op, node.label, {}, node.attributes};
    for (const Operand& operand : node.operands) {
      const auto spec = std::ranges::find(schema.operands, operand.role, &OperandSpec::role);
      if (spec->kind != OperandKind::kOutput && spec->kind != OperandKind::kInput)
        again.operands.push_back(operand);
    }
    const TensorId logits = graph.logits;
    if (const auto ok = complete_node(graph, again); !ok) return node.label + ": " + ok.error().text();
    graph.logits = logits;
    for (const OperandSpec& spec : schema.operands) {
      if (spec.kind != OperandKind::kOutput) continue;
      for (size_t i = 0; node.find(spec.role, i) != kNoTensor; ++i) {
        const Tensor& was = graph.tensor(node.find(spec.role, i));
        if (graph.tensor(again.find(spec.role, i)).shape != was.shape)
          return node.label + " " + std::string(op_name(node.op)) + ": " + was.name + " has another shape";
      }
    }
  }
  return "";
}

}  // namespace aprx::test
