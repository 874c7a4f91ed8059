#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},      {Role::kConv, OperandKind::kVector},
    {Role::kBias, OperandKind::kVector, true}, {Role::kConvState, OperandKind::kState},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfAct[] = {Word::kNone, Word::kSilu};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kAct, APRX_ATTR_WORD, static_cast<double>(Word::kNone), kWordsOfAct},
};

Result<void> complete(Graph& graph, Node& node) {
  const int64_t channels = shape::of(graph, node, Role::kX).shape.back();
  const int64_t width = shape::of(graph, node, Role::kConv).shape.back();
  if (auto ok = shape::expect(graph, node, Role::kConv, {channels, width}); !ok) return ok;
  if (auto ok = shape::expect(graph, node, Role::kBias, {channels}); !ok) return ok;
  shape::state(graph, node, Role::kConvState, DType::kF32, {channels, width - 1});
  return shape::same_as_x(graph, node);
}

}  // namespace

const Operator& causal_conv1d() {
  static constexpr Operator kOperator = {Op::kCausalConv1d, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
