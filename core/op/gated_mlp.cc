#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation}, {Role::kGate, OperandKind::kWeight},
    {Role::kUp, OperandKind::kWeight},    {Role::kDown, OperandKind::kWeight},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfAct[] = {Word::kSilu, Word::kGeluTanh, Word::kGeluErf};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kAct, APRX_ATTR_WORD, static_cast<double>(Word::kSilu), kWordsOfAct},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> x = shape::of(graph, node, Role::kX).shape;
  const int64_t inner = shape::of(graph, node, Role::kGate).shape[0];
  const int64_t outputs = shape::of(graph, node, Role::kDown).shape[0];
  if (auto ok = shape::expect(graph, node, Role::kGate, {inner, x.back()}); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kUp, {inner, x.back()}); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kDown, {outputs, inner}); !ok) return ok;
  shape::output(graph, node, Role::kY, {x[0], outputs});
  return {};
}

void expand(Graph& graph, const Node& node, std::vector<Node>& out) {
  Expansion ex(graph, node, out);
  const auto inner = ex.linears(ex.operand(Role::kX), {ex.operand(Role::kGate), ex.operand(Role::kUp)});
  const TensorId glu = ex.finish(
      ex.start(Op::kGlu, {{Role::kGate, inner[0]}, {Role::kUp, inner[1]}}, {*node.attribute(Attr::kAct)}));
  ex.finish(ex.start(Op::kLinear, {{Role::kX, glu}, {Role::kW, ex.operand(Role::kDown)}}),
            ex.operand(Role::kY));
}

}  // namespace

const Operator& gated_mlp() {
  static constexpr Operator kOperator = {Op::kGatedMlp, true, kOperands, kAttributes, complete, expand};
  return kOperator;
}

}  // namespace aprx::ops
