// What one device, or two together, could do with a graph: the facts on which plan() decides, and
// which `aprx probe` shows.
#pragma once

#include <span>
#include <vector>

#include "core/route/placement.h"
#include "core/route/route.h"

namespace aprx {

struct Assessment {
  Placement placement;
  std::vector<Part> parts;  // one a device; those that got no node included
  MemoryPlan memory_plan;
  // The placement's, and those of a device as a whole (no such target, not enough memory).
  std::vector<Refusal> refusals;
  // Seconds that a token takes, by the devices' own figures; infinite where one gives none.
  double seconds_per_token = 0;
  bool is_capable = false;  // every node has a device, and every device has the memory and the target
};

// Errors: kPlugin where a backend doesn't say the workspace of nodes that it took.
[[nodiscard]] Result<Assessment> assess(const Graph& graph, std::span<const Device> devices,
                                        const Policy& policy);

// Bytes that the device may be asked for; 0 if it doesn't say.
[[nodiscard]] uint64_t free_memory(const Device& device, const Policy& policy);

// Layers of the graph: nodes with labels "blk.N".
[[nodiscard]] uint32_t layers_of(const Graph& graph);

}  // namespace aprx
