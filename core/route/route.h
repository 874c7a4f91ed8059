// The Route: the one value that says what runs where, and why not elsewhere. Execution and every
// message about it read it. Immutable; only plan() makes one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/capability/device.h"
#include "core/capability/recipe.h"
#include "core/capability/refusal.h"
#include "core/graph/graph.h"
#include "core/graph/memory_plan.h"
#include "core/route/policy.h"

namespace aprx {

struct MemoryNeed {
  uint64_t weights = 0;  // bytes of the file's tensors that the nodes use
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

// One device of a Route, and what it does.
struct Part {
  Device device;
  std::string target;           // in use; "" if the device has none
  uint64_t workspace_size = 0;  // behind the activations of its arena
  MemoryNeed need;
  uint32_t operators = 0;  // nodes that it runs
  uint32_t layers = 0;     // layers of which it runs every node
};

// An activation that a stage reads and another part has computed.
struct Transfer {
  TensorId tensor = kNoTensor;  // the owner of the memory, never a view
  uint32_t from = 0;            // part
};

// Nodes in a row that one part runs.
struct Stage {
  uint32_t part = 0;
  uint32_t first_node = 0;
  uint32_t node_count = 0;
  std::vector<Transfer> transfers;  // before its first node
};

// What was found of a device, or of a backend without one, that was asked for or would have been
// preferred, and that doesn't run this model, or not all of it.
struct PassedOver {
  std::string device;  // id of the device, or name of the backend
  std::vector<Refusal> refusals;
  std::vector<std::string> remedies;  // each has been checked against the device's own table
};

class Route {
 public:
  [[nodiscard]] std::span<const Part> parts() const {
    return parts_;
  }  // one or more; the chosen device first
  [[nodiscard]] std::span<const Stage> stages() const { return stages_; }
  [[nodiscard]] const Graph& graph() const { return graph_; }  // expanded to what the devices run
  // Where activations lie: the same in the arena of each part.
  [[nodiscard]] const MemoryPlan& memory_plan() const { return memory_plan_; }
  [[nodiscard]] MemoryNeed memory_need() const;  // of all parts
  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] uint32_t layers() const { return layers_; }
  [[nodiscard]] std::span<const PassedOver> passed_over() const { return passed_over_; }
  // Eight hexadecimal digits over everything above.
  [[nodiscard]] const std::string& digest() const { return digest_; }

 private:
  Route() = default;
  friend class RouteBuilder;

  std::vector<Part> parts_;
  std::vector<Stage> stages_;
  Graph graph_;
  MemoryPlan memory_plan_;
  Policy policy_;
  uint32_t layers_ = 0;
  std::vector<PassedOver> passed_over_;
  std::string digest_;
};

// Plans `graph` (composites whole) onto one of `devices`, or onto two where that pays.
//
// With Policy::backends empty, each device is considered but yardsticks, and the lowest estimated cost
// wins. Else the devices of the named backends are, in that order: the first that runs everything wins,
// or two of them together, if that is cheaper than the next that runs everything. Two devices must be a
// tenth cheaper than one, by their own figures; a device that gives none is never combined. Ties go to the
// first. If nothing can run the graph: an error of class kCapability that names each distinct cause once.
// `recipes` are those that the file's format knows: what remedies are made of.
[[nodiscard]] Result<Route> plan(const Graph& graph, std::span<const Device> devices,
                                 std::span<const UnavailableBackend> unavailable, const Policy& policy,
                                 std::span<const Recipe> recipes = {});

}  // namespace aprx
