#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kQ, OperandKind::kActivation},    {Role::kK, OperandKind::kActivation},
    {Role::kV, OperandKind::kActivation},    {Role::kG, OperandKind::kActivation},
    {Role::kBeta, OperandKind::kActivation}, {Role::kDeltaState, OperandKind::kState},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfHeadMap[] = {Word::kBlocked, Word::kTiled};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kScale, APRX_ATTR_REAL, std::nullopt},
    {Attr::kHeadMap, APRX_ATTR_WORD, std::nullopt, kWordsOfHeadMap},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> k = shape::of(graph, node, Role::kK).shape;
  const std::vector<int64_t> v = shape::of(graph, node, Role::kV).shape;
  if (auto ok = shape::expect(graph, node, Role::kQ, k); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kG, {v[0], v[1]}); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kBeta, {v[0], v[1]}); !ok) return ok;
  shape::state(graph, node, Role::kDeltaState, DType::kF32, {v[1], v[2], k[2]});
  shape::output(graph, node, Role::kY, v);
  return {};
}

}  // namespace

const Operator& gated_delta_rule() {
  static constexpr Operator kOperator = {Op::kGatedDeltaRule, false,    kOperands,
                                         kAttributes,         complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
