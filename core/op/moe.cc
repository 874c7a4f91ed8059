#include "core/op/catalogue.h"
#include "core/op/shape.h"

namespace aprx::ops {

namespace {

constexpr OperandSpec kOperands[] = {
    {Role::kX, OperandKind::kActivation}, {Role::kRouter, OperandKind::kWeight},
    {Role::kGate, OperandKind::kWeight},  {Role::kUp, OperandKind::kWeight},
    {Role::kDown, OperandKind::kWeight},  {Role::kY, OperandKind::kOutput},
};
constexpr Word kWordsOfScore[] = {Word::kSoftmax, Word::kSigmoid};
constexpr AttributeSpec kAttributes[] = {
    {Attr::kUsed, APRX_ATTR_INT, std::nullopt},
    {Attr::kScore, APRX_ATTR_WORD, static_cast<double>(Word::kSoftmax), kWordsOfScore},
};

Result<void> complete(Graph& graph, Node& node) { return shape::same_as_x(graph, node); }

}  // namespace

const Operator& moe() {
  static constexpr Operator kOperator = {Op::kMoe, true, kOperands, kAttributes, complete, nullptr};
  return kOperator;
}

}  // namespace aprx::ops
