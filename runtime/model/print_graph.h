// A graph as text and as JSON, for people and for scripts.
#pragma once

#include <string>

#include "core/graph/graph.h"

namespace aprx {

// The graph with every composite that has a decomposition replaced by it, down to primitives.
[[nodiscard]] Graph expanded(Graph graph);

// One line a node: label, operator, each operand as ROLE=NAME DTYPE [SHAPE], attributes, and after ->
// what it gives. Names are those of the file; control characters in them are escaped.
[[nodiscard]] std::string graph_text(const Graph& graph);

// {"nodes": [{"label", "op", "inputs": [{"role", "name", "kind", "dtype", "shape"}], "attributes": {},
// "outputs": []}]}. States are among the inputs. Counts that are known when the graph runs are the
// texts "tokens" and "rows".
[[nodiscard]] std::string graph_json(const Graph& graph);

}  // namespace aprx
