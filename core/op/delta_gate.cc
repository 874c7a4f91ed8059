#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kA, OperandKind::kActivation},  {Role::kB, OperandKind::kActivation},
    {Role::kDtBias, OperandKind::kVector}, {Role::kNegA, OperandKind::kVector},
    {Role::kG, OperandKind::kOutput},      {Role::kBeta, OperandKind::kOutput},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> a = shape::of(graph, node, Role::kA).shape;
  if (auto ok = shape::expect(graph, node, Role::kB, a); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kDtBias, {a.back()}); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kNegA, {a.back()}); !ok) return ok;
  shape::output(graph, node, Role::kG, a);
  shape::output(graph, node, Role::kBeta, a);
  return {};
}

}  // namespace

const Operator& delta_gate() {
  static constexpr Operator kOperator = {Op::kDeltaGate, false, kOperands, {}, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
