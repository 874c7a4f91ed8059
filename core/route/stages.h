// The order of work of a placement: which device runs which nodes in a row, and what has to be copied
// between them.
#pragma once

#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/route/route.h"

namespace aprx {

// `part_of` holds the part of each node. Inputs of the graph are written to every part; states and
// weights never move.
[[nodiscard]] std::vector<Stage> stages_of(const Graph& graph, std::span<const uint32_t> part_of);

}  // namespace aprx
