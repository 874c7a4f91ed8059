#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kQ, OperandKind::kActivation}, {Role::kPos, OperandKind::kInput},
    {Role::kKCache, OperandKind::kState}, {Role::kVCache, OperandKind::kState},
    {Role::kY, OperandKind::kOutput},
};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kScale, APRX_ATTR_REAL, std::nullopt},
    {Attr::kWindow, APRX_ATTR_INT, 0},
    {Attr::kSoftcap, APRX_ATTR_REAL, 0},
};

Result<void> complete(Graph& graph, Node& node) {
  node.operands.push_back({Role::kPos, graph.positions, false});
  shape::output(graph, node, Role::kY, shape::of(graph, node, Role::kQ).shape);
  return {};
}

}  // namespace

const Operator& attention() {
  static constexpr Operator kOperator = {Op::kAttention, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
