#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kGate, OperandKind::kActivation},
    {Role::kUp, OperandKind::kActivation},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfAct[] = {Word::kSilu, Word::kGeluTanh, Word::kGeluErf};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kAct, APRX_ATTR_WORD, static_cast<double>(Word::kSilu), kWordsOfAct},
};

Result<void> complete(Graph& graph, Node& node) {
  const std::vector<int64_t> gate = shape::of(graph, node, Role::kGate).shape;
  if (auto ok = shape::expect(graph, node, Role::kUp, gate); !ok) return ok;
  shape::output(graph, node, Role::kY, gate);
  return {};
}

}  // namespace

const Operator& glu() {
  static constexpr Operator kOperator = {Op::kGlu, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
