#include <cmath>

#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},    {Role::kQkv, OperandKind::kWeight},
    {Role::kZ, OperandKind::kWeight},        {Role::kA, OperandKind::kWeight},
    {Role::kB, OperandKind::kWeight},        {Role::kConv, OperandKind::kVector},
    {Role::kNegA, OperandKind::kVector},     {Role::kDtBias, OperandKind::kVector},
    {Role::kNorm, OperandKind::kVector},     {Role::kO, OperandKind::kWeight},
    {Role::kConvState, OperandKind::kState}, {Role::kDeltaState, OperandKind::kState},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfHeadMap[] = {Word::kBlocked, Word::kTiled};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kEps, APRX_ATTR_REAL, std::nullopt},
    {Attr::kKHeads, APRX_ATTR_INT, std::nullopt},
    {Attr::kVHeads, APRX_ATTR_INT, std::nullopt},
    {Attr::kKDim, APRX_ATTR_INT, std::nullopt},
    {Attr::kVDim, APRX_ATTR_INT, std::nullopt},
    {Attr::kHeadMap, APRX_ATTR_WORD, std::nullopt, kWordsOfHeadMap},
};

struct Dims {
  int64_t k_heads, v_heads, k_dim, v_dim;
  [[nodiscard]] int64_t channels() const { return 2 * k_heads * k_dim + v_heads * v_dim; }
};

Dims dims_of(const Node& node) {
  return {node.integer(Attr::kKHeads), node.integer(Attr::kVHeads), node.integer(Attr::kKDim),
          node.integer(Attr::kVDim)};
}

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> x = shape::of(graph, node, Role::kX).shape;
  const Dims n = dims_of(node);
  const int64_t width = shape::of(graph, node, Role::kConv).shape.back();
  const std::pair<Role, std::vector<int64_t>> expected[] = {
      {Role::kQkv, {n.channels(), x.back()}},
      {Role::kZ, {n.v_heads * n.v_dim, x.back()}},
      {Role::kA, {n.v_heads, x.back()}},
      {Role::kB, {n.v_heads, x.back()}},
      {Role::kConv, {n.channels(), width}},
      {Role::kNegA, {n.v_heads}},
      {Role::kDtBias, {n.v_heads}},
      {Role::kNorm, {n.v_dim}},
      {Role::kO, {x.back(), n.v_heads * n.v_dim}},
  };
  for (const auto& [role, shape] : expected) {
    if (auto ok = shape::expect(graph, node, role, shape); !ok) return ok;
  }
  shape::state(graph, node, Role::kConvState, DType::kF32, {n.channels(), width - 1});
  shape::state(graph, node, Role::kDeltaState, DType::kF32, {n.v_heads, n.v_dim, n.k_dim});
  return shape::same_as_x(graph, node);
}

struct Projected {
  TensorId q, k, v, z, a, b;
};

// Projections, convolution and the views on q, k and v behind it.
Projected project(Expansion& ex, const Dims& n) {
  const auto p = ex.linears(ex.operand(Role::kX), {ex.operand(Role::kQkv), ex.operand(Role::kZ),
                                                   ex.operand(Role::kA), ex.operand(Role::kB)});
  const TensorId conv = ex.finish(ex.start(Op::kCausalConv1d,
                                           {{Role::kX, p[0]},
                                            {Role::kConv, ex.operand(Role::kConv)},
                                            {Role::kConvState, ex.operand(Role::kConvState), true}},
                                           {word_attribute(Attr::kAct, Word::kSilu)}));
  const int64_t key_width = n.k_heads * n.k_dim;
  const auto heads = [&](int64_t count, int64_t dim, int64_t offset) {
    return ex.graph().add_view(conv, {kTokensDim, count, dim}, {n.channels(), dim, 1}, offset);
  };
  return {heads(n.k_heads, n.k_dim, 0),
          heads(n.k_heads, n.k_dim, key_width),
          heads(n.v_heads, n.v_dim, 2 * key_width),
          ex.graph().add_reshape(p[1], {kTokensDim, n.v_heads, n.v_dim}),
          p[2],
          p[3]};
}

void expand(Graph& graph, const Node& node, std::vector<Node>& out) {
  Expansion ex(graph, node, out);
  const Dims n = dims_of(node);
  const aprx_attribute eps = *node.attribute(Attr::kEps);
  const Projected p = project(ex, n);
  const TensorId q = ex.finish(ex.start(Op::kL2Norm, {{Role::kX, p.q}}, {eps}));
  const TensorId k = ex.finish(ex.start(Op::kL2Norm, {{Role::kX, p.k}}, {eps}));
  Node gate = ex.start(Op::kDeltaGate, {{Role::kA, p.a},
                                        {Role::kB, p.b},
                                        {Role::kDtBias, ex.operand(Role::kDtBias)},
                                        {Role::kNegA, ex.operand(Role::kNegA)}});
  ex.finish(std::move(gate));
  const TensorId g = out.back().find(Role::kG);
  const TensorId beta = out.back().find(Role::kBeta);
  const TensorId rule =
      ex.finish(ex.start(Op::kGatedDeltaRule,
                         {{Role::kQ, q},
                          {Role::kK, k},
                          {Role::kV, p.v},
                          {Role::kG, g},
                          {Role::kBeta, beta},
                          {Role::kDeltaState, ex.operand(Role::kDeltaState), true}},
                         {real_attribute(Attr::kScale, 1.0 / std::sqrt(static_cast<double>(n.k_dim))),
                          *node.attribute(Attr::kHeadMap)}));
  const TensorId normed = ex.finish(ex.start(
      Op::kGatedRmsNorm, {{Role::kX, rule}, {Role::kZ, p.z}, {Role::kW, ex.operand(Role::kNorm)}}, {eps}));
  const TensorId flat = graph.add_reshape(normed, {kTokensDim, n.v_heads * n.v_dim});
  ex.finish(ex.start(Op::kLinear, {{Role::kX, flat}, {Role::kW, ex.operand(Role::kO)}}),
            ex.operand(Role::kY));
}

}  // namespace

const Operator& gated_delta_net() {
  static constexpr Operator kOperator = {Op::kGatedDeltaNet, true, kOperands, kAttributes, complete, expand};
  return kOperator;
}

}  // namespace aprx::ops
