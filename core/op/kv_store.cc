#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kK, OperandKind::kActivation}, {Role::kV, OperandKind::kActivation},
    {Role::kPos, OperandKind::kInput},    {Role::kKCache, OperandKind::kState},
    {Role::kVCache, OperandKind::kState},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> k = shape::of(graph, node, Role::kK).shape;
  if (auto ok = shape::expect(graph, node, Role::kV, k); !ok) return ok;
  node.operands.push_back({Role::kPos, graph.positions, false});
  shape::state(graph, node, Role::kKCache, graph.kv_dtype, {graph.context, k[1], k[2]});
  shape::state(graph, node, Role::kVCache, graph.kv_dtype, {graph.context, k[1], k[2]});
  return {};
}

}  // namespace

const Operator& kv_store() {
  static constexpr Operator kOperator = {Op::kKvStore, false, kOperands, {}, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
