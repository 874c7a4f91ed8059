#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kA, OperandKind::kActivation},
    {Role::kB, OperandKind::kActivation},
    {Role::kY, OperandKind::kOutput},
};

Result<void> complete(Graph& graph, Node& node) { return shape::broadcast(graph, node); }

}  // namespace

const Operator& add() {
  static constexpr Operator kOperator = {Op::kAdd, false, kOperands, {}, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
