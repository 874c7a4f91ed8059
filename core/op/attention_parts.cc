#include "core/op/attention_parts.h"

#include <algorithm>

namespace aprx::ops::attention_parts {

namespace {

std::vector<aprx_attribute> rope_attributes(const Node& node) {
  std::vector<aprx_attribute> out;
  for (const Attr id : {Attr::kStyle, Attr::kNRot, Attr::kBase, Attr::kScaling, Attr::kScalingFactor}) {
    out.push_back(*node.attribute(id));
  }
  return out;
}

TensorId norm(Expansion& ex, TensorId x, Role weight) {
  if (ex.operand(weight) == kNoTensor) return x;
  return ex.finish(ex.start(Op::kRmsNorm, {{Role::kX, x}, {Role::kW, ex.operand(weight)}},
                            {*ex.composite().attribute(Attr::kEps)}));
}

TensorId rotate(Expansion& ex, TensorId x) {
  return ex.finish(ex.start(Op::kRope, {{Role::kX, x}, {Role::kFactors, ex.operand(Role::kFactors)}},
                            rope_attributes(ex.composite())));
}

}  // namespace

Result<void> complete(Graph& graph, Node& node, int64_t query_parts) {
  const std::vector<int64_t> x = shape::of(graph, node, Role::kX).shape;
  const int64_t heads = node.integer(Attr::kHeads);
  const int64_t kv_heads = node.integer(Attr::kKvHeads);
  const int64_t dim = node.integer(Attr::kHeadDim);
  const std::pair<Role, std::vector<int64_t>> expected[] = {
      {Role::kQ, {query_parts * heads * dim, x.back()}},
      {Role::kK, {kv_heads * dim, x.back()}},
      {Role::kV, {kv_heads * dim, x.back()}},
      {Role::kO, {x.back(), heads * dim}},
      {Role::kQBias, {query_parts * heads * dim}},
      {Role::kKBias, {kv_heads * dim}},
      {Role::kVBias, {kv_heads * dim}},
      {Role::kOBias, {x.back()}},
      {Role::kQNorm, {dim}},
      {Role::kKNorm, {dim}},
      {Role::kFactors, {node.integer(Attr::kNRot) / 2}},
  };
  for (const auto& [role, shape] : expected) {
    if (auto ok = shape::expect(graph, node, role, shape); !ok) return ok;
  }
  node.operands.push_back({Role::kPos, graph.positions, false});
  shape::state(graph, node, Role::kKCache, graph.kv_dtype, {graph.context, kv_heads, dim});
  shape::state(graph, node, Role::kVCache, graph.kv_dtype, {graph.context, kv_heads, dim});
  return shape::same_as_x(graph, node);
}

Projected project_in(Expansion& ex) {
  const Role weights[] = {Role::kQ, Role::kK, Role::kV};
  const Role biases[] = {Role::kQBias, Role::kKBias, Role::kVBias};
  std::vector<TensorId> y;
  if (std::ranges::all_of(biases, [&](Role bias) { return ex.operand(bias) == kNoTensor; })) {
    y = ex.linears(ex.operand(Role::kX), {ex.operand(Role::kQ), ex.operand(Role::kK), ex.operand(Role::kV)});
  } else {
    for (size_t i = 0; i < 3; ++i) {
      y.push_back(ex.finish(ex.start(Op::kLinear, {{Role::kX, ex.operand(Role::kX)},
                                                   {Role::kW, ex.operand(weights[i])},
                                                   {Role::kBias, ex.operand(biases[i])}})));
    }
  }
  return {y[0], y[1], y[2]};
}

TensorId attend(Expansion& ex, TensorId query, const Projected& projected) {
  const Node& node = ex.composite();
  const std::vector<int64_t> kv_shape = {kTokensDim, node.integer(Attr::kKvHeads),
                                         node.integer(Attr::kHeadDim)};
  const TensorId k = ex.graph().add_reshape(projected.k, kv_shape);
  const TensorId v = ex.graph().add_reshape(projected.v, kv_shape);
  const TensorId q_turned = rotate(ex, norm(ex, query, Role::kQNorm));
  const TensorId k_turned = rotate(ex, norm(ex, k, Role::kKNorm));
  const TensorId k_cache = ex.operand(Role::kKCache);
  const TensorId v_cache = ex.operand(Role::kVCache);
  ex.finish(ex.start(
      Op::kKvStore,
      {{Role::kK, k_turned}, {Role::kV, v}, {Role::kKCache, k_cache, true}, {Role::kVCache, v_cache, true}}));
  return ex.finish(ex.start(
      Op::kAttention, {{Role::kQ, q_turned}, {Role::kKCache, k_cache}, {Role::kVCache, v_cache}},
      {*node.attribute(Attr::kScale), *node.attribute(Attr::kWindow), *node.attribute(Attr::kSoftcap)}));
}

void project_out(Expansion& ex, TensorId y) {
  const Node& node = ex.composite();
  const int64_t width = node.integer(Attr::kHeads) * node.integer(Attr::kHeadDim);
  const TensorId flat = ex.graph().add_reshape(y, {kTokensDim, width});
  ex.finish(
      ex.start(Op::kLinear,
               {{Role::kX, flat}, {Role::kW, ex.operand(Role::kO)}, {Role::kBias, ex.operand(Role::kOBias)}}),
      ex.operand(Role::kY));
}

}  // namespace aprx::ops::attention_parts
