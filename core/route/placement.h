// Which of some devices runs which node of a graph.
//
// Each node goes to the first device that takes it; composites are taken whole where a device claims
// them, else expanded, as often as needed. Nodes that touch one state go to one device: a state is
// never copied.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/capability/device.h"
#include "core/capability/refusal.h"
#include "core/graph/graph.h"

namespace aprx {

inline constexpr uint32_t kNoDevice = UINT32_MAX;

struct Placement {
  Graph graph;                      // with the nodes as they would run, in order
  std::vector<uint32_t> device_of;  // of each node: index into the devices, or kNoDevice
  // Of the nodes that the first device doesn't take, or that no device takes; each distinct cause
  // once for each device.
  std::vector<Refusal> refusals;

  [[nodiscard]] bool is_complete() const;  // every node has a device
  [[nodiscard]] size_t count_on(uint32_t device) const;
};

[[nodiscard]] Placement place(const Graph& graph, std::span<const Device> devices, uint32_t tokens_max);

}  // namespace aprx
