// The Route: the one value that says what runs where, and why not elsewhere. Execution and every
// message about it read it. Immutable; only plan() makes one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/capability/device.h"
#include "core/capability/refusal.h"
#include "core/graph/graph.h"
#include "core/graph/memory_plan.h"
#include "core/route/policy.h"

namespace aprx {

struct MemoryNeed {
  uint64_t weights = 0;  // bytes of the file's tensors that the graph uses
  uint64_t states = 0;   // KV cache and recurrent state of one sequence
  uint64_t arena = 0;    // activations and workspace
  [[nodiscard]] uint64_t total() const { return weights + states + arena; }
};

// A backend that offers no device here, and why. Made by whoever opened the backends.
struct UnavailableBackend {
  std::string name;
  aprx_reason reason;
  std::string detail;
};

class Route {
 public:
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] const std::string& target() const { return target_; }  // in use; "" if the device has none
  [[nodiscard]] const Graph& graph() const { return graph_; }          // expanded to what the device runs
  [[nodiscard]] const MemoryPlan& memory_plan() const { return memory_plan_; }
  [[nodiscard]] uint64_t workspace_offset() const { return memory_plan_.size; }
  [[nodiscard]] uint64_t workspace_size() const { return workspace_size_; }
  [[nodiscard]] const MemoryNeed& memory_need() const { return need_; }
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] uint32_t layers() const { return layers_; }
  // Devices that were asked for, or would have been preferred, and can't run this.
  [[nodiscard]] std::span<const Refusal> refusals() const { return refusals_; }
  // Eight hexadecimal digits over everything above.
  [[nodiscard]] const std::string& digest() const { return digest_; }

 private:
  Route() = default;
  friend class Planner;

  Device device_;
  std::string target_;
  Graph graph_;
  MemoryPlan memory_plan_;
  uint64_t workspace_size_ = 0;
  MemoryNeed need_;
  Policy policy_;
  uint32_t layers_ = 0;
  std::vector<Refusal> refusals_;
  std::string digest_;
};

// Plans `graph` (composites whole) onto one of `devices`. With Policy::backends empty, the capable
// device with the lowest estimated cost is taken, yardsticks never; else the first named backend
// that can run everything. If none can: an error of class kCapability whose text names every
// distinct cause once.
[[nodiscard]] Result<Route> plan(const Graph& graph, std::span<const Device> devices,
                                 std::span<const UnavailableBackend> unavailable, const Policy& policy);

}  // namespace aprx
