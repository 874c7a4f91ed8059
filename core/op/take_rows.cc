#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kIds, OperandKind::kInput},
    {Role::kY, OperandKind::kOutput},
};

Result<void> complete(Graph& graph, Node& node) {
  node.operands.push_back({Role::kIds, graph.rows, false});
  shape::output(graph, node, Role::kY, {kRowsDim, shape::of(graph, node, Role::kX).shape.back()});
  return {};
}

}  // namespace

const Operator& take_rows() {
  static constexpr Operator kOperator = {Op::kTakeRows, false, kOperands, {}, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
