#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation},
    {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfAct[] = {Word::kSilu,     Word::kGeluTanh, Word::kGeluErf, Word::kSigmoid,
                                Word::kSoftplus, Word::kRelu2,    Word::kTanh,    Word::kNegExp};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kAct, APRX_ATTR_WORD, std::nullopt, kWordsOfAct},
};

Result<void> complete(Graph& graph, Node& node) { return shape::same_as_x(graph, node); }

}  // namespace

const Operator& unary() {
  static constexpr Operator kOperator = {Op::kUnary, false, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
