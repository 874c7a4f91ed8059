#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kW, OperandKind::kVector, true},
    {Role::kY, OperandKind::kOutput},
};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kEps, APRX_ATTR_REAL, std::nullopt},
};

Result<void> complete(Graph& graph, Node& node) {
  if (auto ok = shape::expect(graph, node, Role::kW, {shape::of(graph, node, Role::kX).shape.back()}); !ok)
    return ok;
  return shape::same_as_x(graph, node);
}

}  // namespace

const Operator& rms_norm() {
  static constexpr Operator kOperator = {Op::kRmsNorm, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
