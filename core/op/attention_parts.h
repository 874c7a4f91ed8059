// What self_attention and gated_attention share.
#pragma once

#include "core/op/shape.h"

namespace aprx::ops::attention_parts {

// Shape rule; the q projection yields `query_parts` × heads × head_dim values.
Result<void> complete(Graph& graph, Node& node, int64_t query_parts);

struct Projected {
  TensorId q, k, v;  // as the weights give them: [tokens, rows of the weight]
};

// The q, k and v projections with their biases.
Projected project_in(Expansion& ex);

// Norms, rope, kv_store and attention; `query` is [tokens, heads, head_dim], k and v are as projected.
TensorId attend(Expansion& ex, TensorId query, const Projected& projected);

// The output projection of [tokens, heads, head_dim] into the composite's y.
void project_out(Expansion& ex, TensorId y);

}  // namespace aprx::ops::attention_parts
