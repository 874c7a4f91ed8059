#include "runtime/model/print_graph.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/op/operator.h"
#include "runtime/model/scalar.h"

namespace aprx {

namespace {

using Json = nlohmann::ordered_json;

std::vector<Node> decomposed(Graph& graph, const std::vector<Node>& nodes) {
  std::vector<Node> out;
  for (const Node& node : nodes) {
    const auto expand = operator_of(node.op).expand;
    if (expand == nullptr) {
      out.push_back(node);
      continue;
    }
    std::vector<Node> members;
    expand(graph, node, members);
    members = decomposed(graph, members);
    out.insert(out.end(), members.begin(), members.end());
  }
  return out;
}

bool is_result(const Graph& graph, const Operand& operand) {
  return operand.is_output && graph.tensor(operand.tensor).kind != APRX_STATE;
}

std::string attribute_text(const aprx_attribute& attribute) {
  if (attribute.type == APRX_ATTR_WORD)
    return std::string(word_name(static_cast<Word>(attribute.value.integer)));
  if (attribute.type == APRX_ATTR_INT) return std::to_string(attribute.value.integer);
  return scalar_text(attribute.value.real);
}

std::string operand_text(const Graph& graph, const Operand& operand) {
  const Tensor& tensor = graph.tensor(operand.tensor);
  return std::string(role_name(operand.role)) + "=" + printable(tensor.name) + " " +
         std::string(dtype_name(tensor.dtype)) + " " + shape_text(tensor.shape);
}

std::string node_text(const Graph& graph, const Node& node) {
  std::string inputs;
  std::string results;
  for (const Operand& operand : node.operands)
    (is_result(graph, operand) ? results : inputs) += "  " + operand_text(graph, operand);
  std::string attributes;
  for (const aprx_attribute& one : node.attributes)
    attributes += "  " + std::string(attr_name(static_cast<Attr>(one.id))) + "=" + attribute_text(one);
  return node.label + "  " + std::string(op_name(node.op)) + inputs + attributes +
         (results.empty() ? "" : "  ->" + results);
}

const char* kind_word(aprx_tensor_kind kind) {
  switch (kind) {
    case APRX_ACTIVATION: return "activation";
    case APRX_WEIGHT: return "weight";
    case APRX_VECTOR: return "vector";
    case APRX_STATE: return "state";
    case APRX_INPUT: return "input";
  }
  return "unknown";
}

Json operand_json(const Graph& graph, const Operand& operand) {
  const Tensor& tensor = graph.tensor(operand.tensor);
  Json shape = Json::array();
  for (const int64_t axis : tensor.shape) {
    if (axis == kTokensDim)
      shape.push_back("tokens");
    else if (axis == kRowsDim)
      shape.push_back("rows");
    else
      shape.push_back(axis);
  }
  return {{"role", role_name(operand.role)},
          {"name", printable(tensor.name)},
          {"kind", kind_word(tensor.kind)},
          {"dtype", dtype_name(tensor.dtype)},
          {"shape", std::move(shape)}};
}

Json attribute_json(const aprx_attribute& attribute) {
  if (attribute.type == APRX_ATTR_INT) return attribute.value.integer;
  if (attribute.type == APRX_ATTR_REAL) return attribute.value.real;
  return attribute_text(attribute);
}

Json node_json(const Graph& graph, const Node& node) {
  Json out = {{"label", node.label}, {"op", op_name(node.op)}};
  out["inputs"] = Json::array();
  out["attributes"] = Json::object();
  out["outputs"] = Json::array();
  for (const Operand& operand : node.operands)
    out[is_result(graph, operand) ? "outputs" : "inputs"].push_back(operand_json(graph, operand));
  for (const aprx_attribute& one : node.attributes)
    out["attributes"][std::string(attr_name(static_cast<Attr>(one.id)))] = attribute_json(one);
  return out;
}

}  // namespace

Graph expanded(Graph graph) {
  const std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
  graph.set_nodes(decomposed(graph, nodes));
  return graph;
}

std::string graph_text(const Graph& graph) {
  std::string out;
  for (const Node& node : graph.nodes()) out += node_text(graph, node) + "\n";
  return out;
}

std::string graph_json(const Graph& graph) {
  Json nodes = Json::array();
  for (const Node& node : graph.nodes()) nodes.push_back(node_json(graph, node));
  return Json{{"nodes", std::move(nodes)}}.dump(2);
}

}  // namespace aprx
