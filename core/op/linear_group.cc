#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kW, OperandKind::kWeight, false, true},
    {Role::kY, OperandKind::kOutput, false, true},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> x = shape::of(graph, node, Role::kX).shape;
  for (size_t i = 0; node.find(Role::kW, i) != kNoTensor; ++i) {
    const Tensor& w = shape::of(graph, node, Role::kW, i);
    if (w.shape.back() != x.back()) {
      return Error{ErrorCode::kBadFile,
                   "",
                   w.name,
                   "shape " + shape_text(w.shape),
                   "rows of " + std::to_string(x.back()),
                   ""};
    }
    shape::output(graph, node, Role::kY, {x[0], w.shape[0]});
  }
  return {};
}

void expand(Graph& graph, const Node& node, std::vector<Node>& out) {
  Expansion ex(graph, node, out);
  for (size_t i = 0; ex.operand(Role::kW, i) != kNoTensor; ++i) {
    ex.finish(ex.start(Op::kLinear, {{Role::kX, ex.operand(Role::kX)}, {Role::kW, ex.operand(Role::kW, i)}}),
              ex.operand(Role::kY, i));
  }
}

}  // namespace

const Operator& linear_group() {
  static constexpr Operator kOperator = {Op::kLinearGroup, true, kOperands, {}, complete, expand};
  return kOperator;
}

}  // namespace aprx::ops
