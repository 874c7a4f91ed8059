// Whether one device can run a graph: composites are taken whole where the device claims them,
// else expanded, as often as needed.
#pragma once

#include <vector>

#include "core/capability/device.h"
#include "core/capability/refusal.h"
#include "core/graph/graph.h"

namespace aprx {

struct Placement {
  Graph graph;                    // with the nodes that the device would run
  std::vector<Refusal> refusals;  // empty if it can run them all; each distinct cause once
};

[[nodiscard]] Placement place(Graph graph, const Device& device, uint32_t tokens_max);

}  // namespace aprx
