#include "core/route/placement.h"

#include <algorithm>
#include <iterator>
#include <map>

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
    if (known.device != device.id || known.reason != reason || known.op != node.op || known.dtype != dtype) {
      continue;
    }
    if (std::ranges::find(known.tensors, tensor) == known.tensors.end()) known.tensors.push_back(tensor);
    return;
  }
  Refusal refusal{device.id, reason, node.op, dtype, {tensor}, verdict.detail, {}};
  if (reason == APRX_DTYPE_UNSUPPORTED) refusal.accepted = dtypes_of(device, node.op);
  refusals.push_back(std::move(refusal));
}

struct PlacedNode {
  Node node;
  uint32_t device = kNoDevice;
};

// States that must be on a certain device, by tensor id.
using Pins = std::map<TensorId, uint32_t>;

// Places nodes of one graph, expanding what no device takes whole.
class Placer {
 public:
  Placer(Graph& graph, std::span<const Device> devices, uint32_t tokens_max, const Pins& pins)
      : graph_(graph), devices_(devices), tokens_max_(tokens_max), pins_(pins) {}

  std::vector<PlacedNode> place(const Node& node) {
    if (takes(0, node)) return {{node, 0}};
    const auto expand = operator_of(node.op).expand;
    if (expand == nullptr) return {{node, place_refused(node)}};
    std::vector<Node> members;
    expand(graph_, node, members);
    std::vector<PlacedNode> placed;
    for (const Node& member : members) std::ranges::move(place(member), std::back_inserter(placed));
    const uint32_t device = common_device(placed);
    if (device != kNoDevice && takes(device, node)) return {{node, device}};
    return placed;
  }

  std::vector<Refusal>& refusals() { return refusals_; }

 private:
  bool is_allowed(uint32_t device, const Node& node) const {
    return std::ranges::all_of(node.operands, [&](const Operand& operand) {
      const auto pin = pins_.find(operand.tensor);
      return pin == pins_.end() || pin->second == device;
    });
  }

  aprx_verdict ask(uint32_t device, const Node& node) const {
    return probe(devices_[device], graph_, node, tokens_max_);
  }

  bool takes(uint32_t device, const Node& node) const {
    return is_allowed(device, node) && ask(device, node).reason == APRX_SUPPORTED;
  }

  // A primitive that the first device may not have: the next that takes it, with the refusals on the way.
  uint32_t place_refused(const Node& node) {
    for (uint32_t device = 0; device < devices_.size(); ++device) {
      if (!is_allowed(device, node)) continue;
      const aprx_verdict verdict = ask(device, node);
      if (verdict.reason == APRX_SUPPORTED) return device;
      add_refusal(refusals_, graph_, node, verdict, devices_[device]);
    }
    return kNoDevice;
  }

  static uint32_t common_device(const std::vector<PlacedNode>& placed) {
    const uint32_t device = placed.front().device;
    const bool is_common =
        std::ranges::all_of(placed, [&](const PlacedNode& member) { return member.device == device; });
    return is_common ? device : kNoDevice;
  }

  Graph& graph_;
  std::span<const Device> devices_;
  uint32_t tokens_max_;
  const Pins& pins_;
  std::vector<Refusal> refusals_;
};

// Pins each state that nodes of several devices touch to the last of these, which takes what the
// others refuse. Whether there was any.
bool pin_shared_states(const Placement& placement, Pins& pins) {
  std::map<TensorId, std::pair<uint32_t, uint32_t>> range;  // lowest and highest device of each state
  for (size_t i = 0; i < placement.device_of.size(); ++i) {
    const uint32_t device = placement.device_of[i];
    if (device == kNoDevice) continue;
    for (const Operand& operand : placement.graph.nodes()[i].operands) {
      if (placement.graph.tensor(operand.tensor).kind != APRX_STATE) continue;
      auto& [lowest, highest] = range.try_emplace(operand.tensor, device, device).first->second;
      lowest = std::min(lowest, device);
      highest = std::max(highest, device);
    }
  }
  bool found = false;
  for (const auto& [state, devices] : range) {
    if (devices.first == devices.second) continue;
    pins[state] = devices.second;
    found = true;
  }
  return found;
}

Placement place_once(Graph graph, std::span<const Device> devices, uint32_t tokens_max, const Pins& pins) {
  const std::vector<Node> composites(graph.nodes().begin(), graph.nodes().end());
  Placer placer(graph, devices, tokens_max, pins);
  std::vector<Node> nodes;
  std::vector<uint32_t> device_of;
  for (const Node& node : composites) {
    for (PlacedNode& placed : placer.place(node)) {
      nodes.push_back(std::move(placed.node));
      device_of.push_back(placed.device);
    }
  }
  graph.set_nodes(std::move(nodes));
  return {std::move(graph), std::move(device_of), std::move(placer.refusals())};
}

}  // namespace

bool Placement::is_complete() const { return count_on(kNoDevice) == 0; }

size_t Placement::count_on(uint32_t device) const {
  return static_cast<size_t>(std::ranges::count(device_of, device));
}

Placement place(const Graph& graph, std::span<const Device> devices, uint32_t tokens_max) {
  Pins pins;
  Placement placement = place_once(graph, devices, tokens_max, pins);
  // Each round pins a state more, so it ends.
  while (pin_shared_states(placement, pins)) placement = place_once(graph, devices, tokens_max, pins);
  return placement;
}

}  // namespace aprx
