#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation}, {Role::kNorm, OperandKind::kVector},
    {Role::kW, OperandKind::kWeight},     {Role::kIds, OperandKind::kInput},
    {Role::kY, OperandKind::kOutput},
};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kEps, APRX_ATTR_REAL, std::nullopt},
};

Result<void> complete(Graph& graph, Node& node) {
  const int64_t width = shape::of(graph, node, Role::kX).shape.back();
  const int64_t vocabulary = shape::of(graph, node, Role::kW).shape[0];
  if (auto ok = shape::expect(graph, node, Role::kNorm, {width}); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kW, {vocabulary, width}); !ok) return ok;
  node.operands.push_back({Role::kIds, graph.rows, false});
  graph.logits = shape::output(graph, node, Role::kY, {kRowsDim, vocabulary});
  return {};
}

void expand(Graph& graph, const Node& node, std::vector<Node>& out) {
  Expansion ex(graph, node, out);
  const TensorId taken = ex.finish(ex.start(Op::kTakeRows, {{Role::kX, ex.operand(Role::kX)}}));
  const TensorId norm = ex.finish(ex.start(
      Op::kRmsNorm, {{Role::kX, taken}, {Role::kW, ex.operand(Role::kNorm)}}, {*node.attribute(Attr::kEps)}));
  ex.finish(ex.start(Op::kLinear, {{Role::kX, norm}, {Role::kW, ex.operand(Role::kW)}}),
            ex.operand(Role::kY));
}

}  // namespace

const Operator& logits() {
  static constexpr Operator kOperator = {Op::kLogits, true, kOperands, kAttributes, complete, expand};
  return kOperator;
}

}  // namespace aprx::ops
