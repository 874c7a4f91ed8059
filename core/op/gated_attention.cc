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

Result<void> complete(Graph& graph, Node& node) { return attention_parts::complete(graph, node, 2); }

void expand(Graph& graph, const Node& node, std::vector<Node>& out) {
  Expansion ex(graph, node, out);
  const attention_parts::Projected projected = attention_parts::project_in(ex);
  const int64_t heads = node.integer(Attr::kHeads);
  const int64_t dim = node.integer(Attr::kHeadDim);
  // Query and gate are interleaved per head: dim values of query, then dim of gate.
  const std::vector<int64_t> shape = {kTokensDim, heads, dim};
  const std::vector<int64_t> stride = {2 * heads * dim, 2 * dim, 1};
  const TensorId query = graph.add_view(projected.q, shape, stride, 0);
  const TensorId gate = graph.add_view(projected.q, shape, stride, dim);
  const TensorId y = attention_parts::attend(ex, query, projected);
  const TensorId open =
      ex.finish(ex.start(Op::kUnary, {{Role::kX, gate}}, {word_attribute(Attr::kAct, Word::kSigmoid)}));
  attention_parts::project_out(ex, ex.finish(ex.start(Op::kMul, {{Role::kA, y}, {Role::kB, open}})));
}

}  // namespace

const Operator& gated_attention() {
  static constexpr Operator kOperator = {Op::kGatedAttention, true, kOperands, kAttributes, complete, expand};
  return kOperator;
}

}  // namespace aprx::ops
