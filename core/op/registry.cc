#include <algorithm>
#include <cassert>

#include "core/op/catalogue.h"

namespace aprx {

namespace {

using Entry = const Operator& (*)();

// Indexed by the operator's number.
constexpr Entry kCatalogue[] = {
    nullptr,
    ops::embed,
    ops::linear,
    ops::add,
    ops::mul,
    ops::scale,
    ops::unary,
    ops::softcap,
    ops::glu,
    ops::rms_norm,
    ops::l2_norm,
    ops::gated_rms_norm,
    ops::rope,
    ops::kv_store,
    ops::attention,
    ops::causal_conv1d,
    ops::delta_gate,
    ops::gated_delta_rule,
    ops::take_rows,
    ops::linear_group,
    ops::gated_mlp,
    ops::self_attention,
    ops::gated_attention,
    ops::gated_delta_net,
    ops::logits,
    ops::moe,
};
static_assert(std::size(kCatalogue) == static_cast<size_t>(Op::kCount));

void fill_attributes(const Operator& op, Node& node) {
  for (const AttributeSpec& spec : op.attributes) {
    if (node.attribute(spec.id) != nullptr || !spec.fallback) continue;
    aprx_attribute a{static_cast<uint32_t>(spec.id), static_cast<uint32_t>(spec.type), {}};
    if (spec.type == APRX_ATTR_REAL) {
      a.value.real = *spec.fallback;
    } else {
      a.value.integer = static_cast<int64_t>(*spec.fallback);
    }
    node.attributes.push_back(a);
  }
  std::ranges::sort(node.attributes, {}, &aprx_attribute::id);
}

// As the ABI promises: the catalogue's order, in which equal roles stay as they were listed.
void order_operands(const Operator& op, Node& node) {
  const auto place = [&op](const Operand& operand) {
    return std::ranges::find(op.operands, operand.role, &OperandSpec::role) - op.operands.begin();
  };
  std::ranges::stable_sort(node.operands, {}, place);
}

}  // namespace

const Operator& operator_of(Op op) {
  assert(op > Op::kNone && op < Op::kCount);
  return kCatalogue[static_cast<uint32_t>(op)]();
}

Result<void> complete_node(Graph& graph, Node& node) {
  const Operator& op = operator_of(node.op);
  fill_attributes(op, node);
  Result<void> done = op.complete(graph, node);
  if (done.ok()) order_operands(op, node);
  return done;
}

}  // namespace aprx
