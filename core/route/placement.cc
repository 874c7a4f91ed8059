#include "core/route/placement.h"

#include <algorithm>

#include "core/op/operator.h"

namespace aprx {

namespace {

// The name by which a user knows the operand at fault; kernels' own intermediate results have none.
std::string tensor_name_of(const Graph& graph, const Node& node, const aprx_verdict& verdict) {
  const TensorId at_fault = node.find(static_cast<Role>(verdict.role));
  if (at_fault != kNoTensor) return graph.tensor(at_fault).name;
  for (const Operand& operand : node.operands) {
    if (graph.tensor(operand.tensor).kind == APRX_WEIGHT) return graph.tensor(operand.tensor).name;
  }
  return node.label;
}

void add_refusal(std::vector<Refusal>& refusals, const Graph& graph, const Node& node,
                 const aprx_verdict& verdict, const Device& device) {
  const TensorId at_fault = node.find(static_cast<Role>(verdict.role));
  const DType dtype = at_fault == kNoTensor ? DType::kUnknown : graph.tensor(at_fault).dtype;
  const auto reason = static_cast<aprx_reason>(verdict.reason);
  const std::string tensor = tensor_name_of(graph, node, verdict);
  for (Refusal& known : refusals) {
    if (known.reason != reason || known.op != node.op || known.dtype != dtype) continue;
    if (std::ranges::find(known.tensors, tensor) == known.tensors.end()) known.tensors.push_back(tensor);
    return;
  }
  Refusal refusal{device.id, reason, node.op, dtype, {tensor}, verdict.detail, {}};
  if (reason == APRX_DTYPE_UNSUPPORTED) refusal.accepted = dtypes_of(device, node.op);
  refusals.push_back(std::move(refusal));
}

// Places nodes of one device, expanding what it doesn't take whole.
class Placer {
 public:
  Placer(Graph& graph, const Device& device, uint32_t tokens_max)
      : graph_(graph), device_(device), tokens_max_(tokens_max) {}

  void add(const Node& node) {
    const aprx_verdict verdict = probe(device_, graph_, node, tokens_max_);
    const auto expand = operator_of(node.op).expand;
    if (verdict.reason == APRX_SUPPORTED) {
      nodes_.push_back(node);
    } else if (expand != nullptr) {
      std::vector<Node> members;
      expand(graph_, node, members);
      for (const Node& member : members) add(member);
    } else {
      add_refusal(refusals_, graph_, node, verdict, device_);
    }
  }

  std::vector<Node>& nodes() { return nodes_; }
  std::vector<Refusal>& refusals() { return refusals_; }

 private:
  Graph& graph_;
  const Device& device_;
  uint32_t tokens_max_;
  std::vector<Node> nodes_;
  std::vector<Refusal> refusals_;
};

}  // namespace

Placement place(Graph graph, const Device& device, uint32_t tokens_max) {
  const std::vector<Node> composites(graph.nodes().begin(), graph.nodes().end());
  Placer placer(graph, device, tokens_max);
  for (const Node& node : composites) placer.add(node);
  graph.set_nodes(std::move(placer.nodes()));
  return {std::move(graph), std::move(placer.refusals())};
}

}  // namespace aprx
