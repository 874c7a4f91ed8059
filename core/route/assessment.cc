#include "core/route/assessment.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/graph/abi_form.h"
#include "core/route/render.h"
#include "core/route/stages.h"

namespace aprx {

namespace {

// What a copy between devices costs beside its bytes, and how fast it is: figures of PCIe 3 x16.
constexpr double kSecondsPerTransfer = 40e-6;
constexpr double kTransferBytesPerSecond = 8e9;

bool same_word(const std::string& a, const std::string& b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

std::vector<aprx_target_info> targets_of(const Device& device) {
  std::vector<aprx_target_info> targets;
  for (uint32_t i = 0; i < device.table->target_count(device.self); ++i) {
    aprx_target_info info{};
    info.struct_size = sizeof info;
    if (device.table->target_describe(device.self, i, &info) == APRX_OK) targets.push_back(info);
  }
  return targets;
}

// The target that will be in use: the device's own, or the one that the user lowered it to. A device
// without targets has none to lower.
std::optional<std::string> target_of(const Device& device, const Policy& policy) {
  if (policy.target.empty()) return device.target;
  for (const aprx_target_info& info : targets_of(device)) {
    if (same_word(info.name, policy.target) && info.usable != 0) return info.name;
  }
  return std::nullopt;
}

std::string usable_targets(const Device& device) {
  std::string names;
  for (const aprx_target_info& info : targets_of(device)) {
    if (info.usable != 0) names += (names.empty() ? "" : " ") + std::string(info.name);
  }
  return names.empty() ? "it has no targets to choose from" : "usable here: " + names;
}

Result<uint64_t> workspace_of(const Device& device, const Graph& graph, const std::vector<Node>& nodes,
                              const Policy& policy) {
  const AbiNodes form(graph, nodes);
  aprx_segment segment{};
  segment.struct_size = sizeof segment;
  segment.tokens_max = policy.tokens_max;
  segment.rows_max = policy.rows_max;
  segment.node_count = static_cast<uint32_t>(form.nodes().size());
  segment.tensor_count = static_cast<uint32_t>(form.tensors().size());
  segment.nodes = form.nodes().data();
  segment.tensors = form.tensors().data();
  uint64_t size = 0;
  aprx_error error{};
  error.struct_size = sizeof error;
  if (device.table->workspace_size(device.self, device.index, &segment, &size, &error) != APRX_OK) {
    return Error{
        ErrorCode::kPlugin, "", device.id, error.found, "a workspace size for nodes that probe accepted", ""};
  }
  return size;
}

std::vector<Node> nodes_on(const Placement& placement, uint32_t device) {
  std::vector<Node> nodes;
  for (size_t i = 0; i < placement.device_of.size(); ++i) {
    if (placement.device_of[i] == device) nodes.push_back(placement.graph.nodes()[i]);
  }
  return nodes;
}

MemoryNeed need_of(const Graph& graph, const std::vector<Node>& nodes) {
  std::set<TensorId> used;
  for (const Node& node : nodes) {
    for (const Operand& operand : node.operands) used.insert(operand.tensor);
  }
  MemoryNeed need;
  for (const TensorId id : used) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.kind == APRX_WEIGHT || tensor.kind == APRX_VECTOR) need.weights += tensor_bytes(tensor, 0, 0);
    if (tensor.kind == APRX_STATE) need.states += tensor_bytes(tensor, 0, 0);
  }
  return need;
}

// Layers of which every node is on `device`.
uint32_t whole_layers(const Placement& placement, uint32_t device) {
  std::map<std::string, bool> is_whole;
  for (size_t i = 0; i < placement.device_of.size(); ++i) {
    const std::string& label = placement.graph.nodes()[i].label;
    if (!label.starts_with("blk.")) continue;
    bool& whole = is_whole.try_emplace(label, true).first->second;
    whole = whole && placement.device_of[i] == device;
  }
  return static_cast<uint32_t>(
      std::ranges::count_if(is_whole, [](const auto& layer) { return layer.second; }));
}

// Assesses one choice of devices; holds what one call of assess() knows.
class Assessor {
 public:
  Assessor(const Graph& graph, std::span<const Device> devices, const Policy& policy)
      : devices_(devices), policy_(policy) {
    out_.placement = place(graph, devices, policy.tokens_max);
    out_.refusals = out_.placement.refusals;
    out_.memory_plan = plan_memory(out_.placement.graph, policy.tokens_max, policy.rows_max);
  }

  Result<Assessment> run() {
    bool is_whole = out_.placement.is_complete();
    for (uint32_t i = 0; i < devices_.size(); ++i) {
      auto part = part_of(i);
      if (!part) return part.error();
      is_whole = has_target(*part) && fits(*part) && is_whole;
      out_.parts.push_back(std::move(*part));
    }
    out_.is_capable = is_whole;
    out_.seconds_per_token = estimate();
    return std::move(out_);
  }

 private:
  Result<Part> part_of(uint32_t index) {
    const Device& device = devices_[index];
    const std::vector<Node> nodes = nodes_on(out_.placement, index);
    auto workspace = workspace_of(device, out_.placement.graph, nodes, policy_);
    if (!workspace) return workspace.error();
    Part part{device, "", *workspace, need_of(out_.placement.graph, nodes), 0, 0};
    part.need.arena = out_.memory_plan.size + *workspace;
    part.operators = static_cast<uint32_t>(nodes.size());
    part.layers = whole_layers(out_.placement, index);
    return part;
  }

  bool has_target(Part& part) {
    const std::optional<std::string> target = target_of(part.device, policy_);
    if (target) {
      part.target = *target;
      return true;
    }
    refuse(part.device, APRX_ISA_MISSING,
           "no usable target " + policy_.target + "; " + usable_targets(part.device));
    return false;
  }

  bool fits(const Part& part) {
    const uint64_t free = free_memory(part.device, policy_);
    if (free == 0 || part.need.total() <= free) return true;
    refuse(part.device, APRX_MEMORY_INSUFFICIENT, memory_text(part.need, free));
    return false;
  }

  void refuse(const Device& device, aprx_reason reason, std::string detail) {
    out_.refusals.push_back({device.id, reason, Op::kNone, DType::kUnknown, {}, std::move(detail), {}});
  }

  // Decode reads every weight once; what crosses between devices costs its own.
  double estimate() const {
    double seconds = 0;
    for (const Part& part : out_.parts) {
      if (part.operators == 0) continue;
      if (part.device.bytes_per_second <= 0) return std::numeric_limits<double>::infinity();
      seconds += static_cast<double>(part.need.weights) / part.device.bytes_per_second;
    }
    for (const Stage& stage : stages_of(out_.placement.graph, out_.placement.device_of)) {
      for (const Transfer& transfer : stage.transfers) {
        const Tensor& tensor = out_.placement.graph.tensor(transfer.tensor);
        seconds +=
            kSecondsPerTransfer + static_cast<double>(tensor_bytes(tensor, 1, 1)) / kTransferBytesPerSecond;
      }
    }
    return seconds;
  }

  std::span<const Device> devices_;
  const Policy& policy_;
  Assessment out_;
};

}  // namespace

uint64_t free_memory(const Device& device, const Policy& policy) {
  return policy.free_memory ? *policy.free_memory : memory_of(device).free;
}

uint32_t layers_of(const Graph& graph) {
  std::set<std::string> labels;
  for (const Node& node : graph.nodes()) {
    if (node.label.starts_with("blk.")) labels.insert(node.label);
  }
  return static_cast<uint32_t>(labels.size());
}

Result<Assessment> assess(const Graph& graph, std::span<const Device> devices, const Policy& policy) {
  return Assessor(graph, devices, policy).run();
}

}  // namespace aprx
