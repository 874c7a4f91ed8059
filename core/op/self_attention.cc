#include "core/op/attention_parts.h"
#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},       {Role::kQ, OperandKind::kWeight},
    {Role::kK, OperandKind::kWeight},           {Role::kV, OperandKind::kWeight},
    {Role::kO, OperandKind::kWeight},           {Role::kQBias, OperandKind::kVector, true},
    {Role::kKBias, OperandKind::kVector, true}, {Role::kVBias, OperandKind::kVector, true},
    {Role::kOBias, OperandKind::kVector, true}, {Role::kQNorm, OperandKind::kVector, true},
    {Role::kKNorm, OperandKind::kVector, true}, {Role::kFactors, OperandKind::kVector, true},
    {Role::kPos, OperandKind::kInput},          {Role::kKCache, OperandKind::kState},
    {Role::kVCache, OperandKind::kState},       {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfStyle[] = {Word::kNeox, Word::kInterleaved};
constexpr Word kWordsOfScaling[] = {Word::kNone, Word::kLinear};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kHeads, APRX_ATTR_INT, std::nullopt},
    {Attr::kKvHeads, APRX_ATTR_INT, std::nullopt},
    {Attr::kHeadDim, APRX_ATTR_INT, std::nullopt},
    {Attr::kEps, APRX_ATTR_REAL, 0},
    {Attr::kScale, APRX_ATTR_REAL, std::nullopt},
    {Attr::kStyle, APRX_ATTR_WORD, std::nullopt, kWordsOfStyle},
    {Attr::kNRot, APRX_ATTR_INT, std::nullopt},
    {Attr::kBase, APRX_ATTR_REAL, std::nullopt},
    {Attr::kScaling, APRX_ATTR_WORD, static_cast<double>(Word::kNone), kWordsOfScaling},
    {Attr::kScalingFactor, APRX_ATTR_REAL, 1.0},
    {Attr::kWindow, APRX_ATTR_INT, 0},
    {Attr::kSoftcap, APRX_ATTR_REAL, 0},
};

Result<void> complete(Graph& graph, Node& node) { return attention_parts::complete(graph, node, 1); }

void expand(Graph& graph, const Node& node, std::vector<Node>& out) {
  Expansion ex(graph, node, out);
  const attention_parts::Projected projected = attention_parts::project_in(ex);
  const int64_t heads = node.integer(Attr::kHeads);
  const int64_t dim = node.integer(Attr::kHeadDim);
  const TensorId y =
      attention_parts::attend(ex, graph.add_reshape(projected.q, {kTokensDim, heads, dim}), projected);
  attention_parts::project_out(ex, y);
}

}  // namespace

const Operator& self_attention() {
  static constexpr Operator kOperator = {Op::kSelfAttention, true, kOperands, kAttributes, complete, expand};
  return kOperator;
}

}  // namespace aprx::ops
