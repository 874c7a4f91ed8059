#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kPos, OperandKind::kInput},
    {Role::kFactors, OperandKind::kVector, true},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfStyle[] = {Word::kNeox, Word::kInterleaved};
constexpr Word kWordsOfScaling[] = {Word::kNone, Word::kLinear};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kStyle, APRX_ATTR_WORD, std::nullopt, kWordsOfStyle},
    {Attr::kNRot, APRX_ATTR_INT, std::nullopt},
    {Attr::kBase, APRX_ATTR_REAL, std::nullopt},
    {Attr::kScaling, APRX_ATTR_WORD, static_cast<double>(Word::kNone), kWordsOfScaling},
    {Attr::kScalingFactor, APRX_ATTR_REAL, 1.0},
};

Result<void> complete(Graph& graph, Node& node) {
  node.operands.push_back({Role::kPos, graph.positions, false});
  if (auto ok = shape::expect(graph, node, Role::kFactors, {node.integer(Attr::kNRot) / 2}); !ok) return ok;
  return shape::same_as_x(graph, node);
}

}  // namespace

const Operator& rope() {
  static constexpr Operator kOperator = {Op::kRope, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
