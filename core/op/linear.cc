#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kW, OperandKind::kWeight},
    {Role::kBias, OperandKind::kVector, true},
    {Role::kY, OperandKind::kOutput},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> x = shape::of(graph, node, Role::kX).shape;
  const int64_t outputs = shape::of(graph, node, Role::kW).shape[0];
  if (auto ok = shape::expect(graph, node, Role::kW, {outputs, x.back()}); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kBias, {outputs}); !ok) return ok;
  shape::output(graph, node, Role::kY, {x[0], outputs});
  return {};
}

}  // namespace

const Operator& linear() {
  static constexpr Operator kOperator = {Op::kLinear, false, kOperands, {}, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
