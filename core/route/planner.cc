#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "core/graph/abi_form.h"
#include "core/route/placement.h"
#include "core/route/render.h"
#include "core/route/route.h"

namespace aprx {

namespace {

bool same_word(const std::string& a, const std::string& b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

// Seconds that a device needs to read the model's bytes once: what decode is bound by.
double cost_of(const Device& device, uint64_t bytes) {
  return device.bytes_per_second > 0 ? static_cast<double>(bytes) / device.bytes_per_second
                                     : std::numeric_limits<double>::infinity();
}

std::vector<bool> used_tensors(const Graph& graph) {
  std::vector<bool> used(graph.tensors().size(), false);
  for (const Node& node : graph.nodes()) {
    for (const Operand& operand : node.operands) used[operand.tensor] = true;
  }
  return used;
}

MemoryNeed need_of(const Graph& graph, uint64_t arena) {
  MemoryNeed need;
  need.arena = arena;
  const std::vector<bool> used = used_tensors(graph);
  for (TensorId id = 0; id < graph.tensors().size(); ++id) {
    const Tensor& tensor = graph.tensor(id);
    if (!used[id]) continue;
    if (tensor.kind == APRX_WEIGHT || tensor.kind == APRX_VECTOR) need.weights += tensor_bytes(tensor, 0, 0);
    if (tensor.kind == APRX_STATE) need.states += tensor_bytes(tensor, 0, 0);
  }
  return need;
}

uint32_t layers_of(const Graph& graph) {
  std::set<std::string> labels;
  for (const Node& node : graph.nodes()) {
    if (node.label.starts_with("blk.")) labels.insert(node.label);
  }
  return static_cast<uint32_t>(labels.size());
}

Result<uint64_t> workspace_of(const Device& device, const Graph& graph, const Policy& policy) {
  const AbiNodes form(graph, graph.nodes());
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

// The target that will be in use: the device's own, or the one that the user lowered it to.
std::optional<std::string> target_of(const Device& device, const Policy& policy) {
  if (policy.target.empty()) return device.target;
  aprx_target_info info{};
  info.struct_size = sizeof info;
  for (uint32_t i = 0; i < device.table->target_count(device.self); ++i) {
    if (device.table->target_describe(device.self, i, &info) != APRX_OK) continue;
    if (same_word(info.name, policy.target) && info.usable != 0) return info.name;
  }
  return std::nullopt;
}

std::string usable_targets(const Device& device) {
  std::string names;
  aprx_target_info info{};
  info.struct_size = sizeof info;
  for (uint32_t i = 0; i < device.table->target_count(device.self); ++i) {
    if (device.table->target_describe(device.self, i, &info) != APRX_OK || info.usable == 0) continue;
    names += (names.empty() ? "" : " ") + std::string(info.name);
  }
  return names.empty() ? "it has no targets to choose from" : "usable here: " + names;
}

}  // namespace

// Makes Routes; holds what one call of plan() knows.
class Planner {
 public:
  Planner(const Graph& graph, std::span<const Device> devices,
          std::span<const UnavailableBackend> unavailable, const Policy& policy)
      : graph_(graph), devices_(devices), unavailable_(unavailable), policy_(policy) {}

  Result<Route> run() {
    std::optional<Route> best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (const Device* device : candidates()) {
      auto route = try_device(*device);
      if (!route) return route.error();
      if (!*route) continue;
      const double cost = cost_of(*device, (*route)->need_.weights);
      if (!best || cost < best_cost) {
        best = std::move(*route);
        best_cost = cost;
      }
      if (!policy_.backends.empty()) break;
    }
    if (!best) return capability_error(refusals_, policy_);
    best->refusals_ = std::move(refusals_);
    best->digest_ = route_digest(*best);
    return std::move(*best);
  }

 private:
  // Devices to try, in the order of preference; backends that were asked for and have none are refused.
  std::vector<const Device*> candidates() {
    std::vector<const Device*> out;
    if (policy_.backends.empty()) {
      for (const Device& device : devices_) {
        if (!device.is_yardstick()) out.push_back(&device);
      }
      return out;
    }
    for (const std::string& name : policy_.backends) {
      for (const Device& device : devices_) {
        if (device.backend == name || device.id == name) out.push_back(&device);
      }
      for (const UnavailableBackend& backend : unavailable_) {
        if (backend.name != name) continue;
        refusals_.push_back({name, backend.reason, Op::kNone, DType::kUnknown, {}, backend.detail, {}});
      }
    }
    return out;
  }

  // A Route on this device; nothing, and its refusals noted, if it can't run the graph.
  Result<std::optional<Route>> try_device(const Device& device) {
    const std::optional<std::string> target = target_of(device, policy_);
    if (!target) {
      refuse(device, APRX_ISA_MISSING, "no usable target " + policy_.target + "; " + usable_targets(device));
      return std::optional<Route>();
    }
    Placement placement = place(graph_, device, policy_.tokens_max);
    if (!placement.refusals.empty()) {
      std::ranges::move(placement.refusals, std::back_inserter(refusals_));
      return std::optional<Route>();
    }
    Route route;
    route.device_ = device;
    route.target_ = *target;
    route.policy_ = policy_;
    route.memory_plan_ = plan_memory(placement.graph, policy_.tokens_max, policy_.rows_max);
    auto workspace = workspace_of(device, placement.graph, policy_);
    if (!workspace) return workspace.error();
    route.workspace_size_ = *workspace;
    route.need_ = need_of(placement.graph, route.memory_plan_.size + *workspace);
    route.layers_ = layers_of(placement.graph);
    route.graph_ = std::move(placement.graph);
    if (!fits(device, route.need_)) return std::optional<Route>();
    return std::optional<Route>(std::move(route));
  }

  bool fits(const Device& device, const MemoryNeed& need) {
    const aprx_memory_info memory = memory_of(device);
    if (memory.free == 0 || need.total() <= memory.free) return true;
    refuse(device, APRX_MEMORY_INSUFFICIENT, memory_text(need, memory.free));
    return false;
  }

  void refuse(const Device& device, aprx_reason reason, std::string detail) {
    refusals_.push_back({device.id, reason, Op::kNone, DType::kUnknown, {}, std::move(detail), {}});
  }

  const Graph& graph_;
  std::span<const Device> devices_;
  std::span<const UnavailableBackend> unavailable_;
  const Policy& policy_;
  std::vector<Refusal> refusals_;
};

Result<Route> plan(const Graph& graph, std::span<const Device> devices,
                   std::span<const UnavailableBackend> unavailable, const Policy& policy) {
  return Planner(graph, devices, unavailable, policy).run();
}

}  // namespace aprx
