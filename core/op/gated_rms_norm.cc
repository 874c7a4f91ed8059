#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kZ, OperandKind::kActivation},
    {Role::kW, OperandKind::kVector},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfAct[] = {Word::kSilu, Word::kSigmoid};
constexpr Word kWordsOfOrder[] = {Word::kNormFirst, Word::kGateFirst};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kEps, APRX_ATTR_REAL, std::nullopt},
    {Attr::kAct, APRX_ATTR_WORD, static_cast<double>(Word::kSilu), kWordsOfAct},
    {Attr::kOrder, APRX_ATTR_WORD, static_cast<double>(Word::kNormFirst), kWordsOfOrder},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> x = shape::of(graph, node, Role::kX).shape;
  if (auto ok = shape::expect(graph, node, Role::kZ, x); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kW, {x.back()}); !ok) return ok;
  return shape::same_as_x(graph, node);
}

}  // namespace

const Operator& gated_rms_norm() {
  static constexpr Operator kOperator = {Op::kGatedRmsNorm, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
