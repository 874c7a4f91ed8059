// What would make a device run a graph that it refuses. Only what was put to the device again, and
// accepted, is advised.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/capability/device.h"
#include "core/capability/recipe.h"
#include "core/graph/graph.h"
#include "core/route/policy.h"

namespace aprx {

// Recipes of which every build of this model runs on the device, in their given order.
[[nodiscard]] std::vector<std::string> eligible_recipes(const Graph& graph, const Device& device,
                                                        std::span<const Recipe> recipes,
                                                        const Policy& policy);

// The smallest change of tensors: each matrix that the device refuses for its dtype alone, in the
// cheapest dtype that the device takes instead. Nothing if that isn't enough.
struct Retyping {
  std::vector<std::string> tensors;
  DType dtype = DType::kUnknown;
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
};
[[nodiscard]] std::vector<Retyping> smallest_retyping(const Graph& graph, const Device& device,
                                                      const Policy& policy);

}  // namespace aprx
