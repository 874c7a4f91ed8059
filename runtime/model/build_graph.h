// From a description and a file's metadata to the graph of its operators, at composite level.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "runtime/model/binder.h"
#include "runtime/model/description.h"
#include "runtime/model/file_facts.h"

namespace aprx {

struct GraphOptions {
  int64_t context = 0;  // positions of a KV cache; at least 1
  DType kv_dtype = DType::kF16;
};

struct BuiltGraph {
  Graph graph;
  std::vector<BoundTensor> bound;        // every weight and vector of the graph
  std::vector<std::string> warnings;     // each a sentence without a full stop
  uint64_t parameters = 0;               // values of all tensors that the description knows, drafts included
  int64_t vocabulary = 0;                // rows of the token table
  std::vector<std::string> layer_kinds;  // one a layer; "" where the architecture has one kind
};

// Reads no tensor data. Refuses, in this order: tensor types that are not known (kCapability), false
// requirements, missing keys, layers of no kind, missing tensors and wrong shapes (kBadFile); values
// that the file may have but no operator offers (kCapability). Tensors that nothing uses are one
// warning. Thread-safe.
[[nodiscard]] Result<BuiltGraph> build_graph(const Description& description, const FileFacts& file,
                                             const GraphOptions& options);

}  // namespace aprx
