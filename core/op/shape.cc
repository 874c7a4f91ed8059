#include "core/op/shape.h"

#include <algorithm>
#include <cassert>

namespace aprx::shape {

namespace {

std::string state_name(const Node& node, Role role) {
  return node.label + "." + std::string(op_name(node.op)) + "." + std::string(role_name(role));
}

}  // namespace

const Tensor& of(const Graph& graph, const Node& node, Role role, size_t nth) {
  const TensorId id = node.find(role, nth);
  assert(id != kNoTensor);
  return graph.tensor(id);
}

Result<void> expect(const Graph& graph, const Node& node, Role role, std::vector<int64_t> shape) {
  const TensorId id = node.find(role);
  if (id == kNoTensor || graph.tensor(id).shape == shape) return {};
  const Tensor& tensor = graph.tensor(id);
  return Error{ErrorCode::kBadFile,
               "",
               tensor.name,
               "shape " + shape_text(tensor.shape) + " as " + std::string(role_name(role)) + " of " +
                   std::string(op_name(node.op)),
               "shape " + shape_text(shape),
               ""};
}

TensorId output(Graph& graph, Node& node, Role role, std::vector<int64_t> shape) {
  const TensorId id = graph.add_activation(state_name(node, role), std::move(shape));
  node.operands.push_back({role, id, true});
  return id;
}

void state(Graph& graph, Node& node, Role role, DType dtype, std::vector<int64_t> shape) {
  if (node.find(role) != kNoTensor) return;
  const TensorId id = graph.add_state(state_name(node, role), dtype, std::move(shape));
  node.operands.push_back({role, id, true});
}

Result<void> broadcast(Graph& graph, Node& node) {
  const std::vector<int64_t> a = of(graph, node, Role::kA).shape;
  const Tensor& b = of(graph, node, Role::kB);
  if (b.shape.size() > a.size() || !std::equal(b.shape.rbegin(), b.shape.rend(), a.rbegin())) {
    return Error{ErrorCode::kBadFile,
                 "",
                 b.name,
                 "shape " + shape_text(b.shape),
                 "trailing axes of " + shape_text(a),
                 ""};
  }
  output(graph, node, Role::kY, a);
  return {};
}

Result<void> same_as_x(Graph& graph, Node& node) {
  output(graph, node, Role::kY, of(graph, node, Role::kX).shape);
  return {};
}

}  // namespace aprx::shape

namespace aprx {

Node Expansion::start(Op op, std::vector<Operand> operands, std::vector<aprx_attribute> attributes) const {
  std::erase_if(operands, [](const Operand& operand) { return operand.tensor == kNoTensor; });
  return {op, composite_.label, std::move(operands), std::move(attributes)};
}

namespace {

bool is_state(const Graph& graph, const Operand& operand) {
  return graph.tensor(operand.tensor).kind == APRX_STATE;
}

}  // namespace

TensorId Expansion::finish(Node node, TensorId into) {
  // A decomposition only combines operands whose shapes the composite's own rule has checked.
  [[maybe_unused]] const Result<void> done = complete_node(graph_, node);
  assert(done.ok());
  TensorId first = kNoTensor;
  for (Operand& operand : node.operands) {
    if (!operand.is_output || is_state(graph_, operand) || first != kNoTensor) continue;
    if (into != kNoTensor) operand.tensor = into;
    first = operand.tensor;
  }
  out_.push_back(std::move(node));
  return first;
}

std::vector<TensorId> Expansion::linears(TensorId x, const std::vector<TensorId>& weights) {
  Node group = start(weights.size() > 1 ? Op::kLinearGroup : Op::kLinear, {{Role::kX, x}});
  for (const TensorId w : weights) group.operands.push_back({Role::kW, w});
  finish(std::move(group));
  std::vector<TensorId> outputs;
  for (const Operand& operand : out_.back().operands) {
    if (operand.is_output) outputs.push_back(operand.tensor);
  }
  return outputs;
}

aprx_attribute integer_attribute(Attr id, int64_t value) {
  aprx_attribute a{static_cast<uint32_t>(id), APRX_ATTR_INT, {}};
  a.value.integer = value;
  return a;
}

aprx_attribute real_attribute(Attr id, double value) {
  aprx_attribute a{static_cast<uint32_t>(id), APRX_ATTR_REAL, {}};
  a.value.real = value;
  return a;
}

aprx_attribute word_attribute(Attr id, Word value) {
  aprx_attribute a{static_cast<uint32_t>(id), APRX_ATTR_WORD, {}};
  a.value.integer = static_cast<int64_t>(value);
  return a;
}

}  // namespace aprx
