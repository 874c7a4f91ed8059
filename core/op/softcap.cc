#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kY, OperandKind::kOutput},
};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kFactor, APRX_ATTR_REAL, std::nullopt},
};

Result<void> complete(Graph& graph, Node& node) { return shape::same_as_x(graph, node); }

}  // namespace

const Operator& softcap() {
  static constexpr Operator kOperator = {Op::kSoftcap, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
