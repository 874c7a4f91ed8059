#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kIds, OperandKind::kInput},
    {Role::kTable, OperandKind::kWeight},
    {Role::kY, OperandKind::kOutput},
};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kScale, APRX_ATTR_REAL, 1.0},
};

Result<void> complete(Graph& graph, Node& node) {
  node.operands.push_back({Role::kIds, graph.ids, false});
  const Tensor& table = shape::of(graph, node, Role::kTable);
  shape::output(graph, node, Role::kY, {kTokensDim, table.shape[1]});
  return {};
}

}  // namespace

const Operator& embed() {
  static constexpr Operator kOperator = {Op::kEmbed, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
