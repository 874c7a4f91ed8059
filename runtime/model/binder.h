// Binds tensors of the file to roles of the description, each with its shape proven.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "runtime/model/lookup.h"

namespace aprx {

// A weight of the graph and where it lies.
struct BoundTensor {
  TensorId tensor = kNoTensor;
  size_t file_tensor = 0;  // index in FileFacts::tensors(), which is the file's order
};

// Borrows the look-up. Errors name the tensor, and the keys that its shape was expected from.
class Binder {
 public:
  // `layers` are the sources of the number of layers, for messages about tensors that are missing.
  Binder(const Lookup& lookup, std::vector<Source> layers) : lookup_(lookup), layers_(std::move(layers)) {}

  // The graph's tensor for a role, added to `graph` when it is met first.
  Result<TensorId> bind(Graph& graph, const std::string& role, LayerIndex layer, OperandKind kind);
  // Proves the shape of a tensor that no node uses, and counts it as known.
  Result<void> claim(const std::string& role, LayerIndex layer);

  [[nodiscard]] const std::vector<BoundTensor>& bound() const { return bound_; }
  [[nodiscard]] const std::set<size_t>& claimed() const { return claimed_; }  // indices in the file

 private:
  [[nodiscard]] Error missing(const std::string& role, LayerIndex layer) const;
  [[nodiscard]] Result<size_t> proven(const std::string& role, LayerIndex layer) const;

  const Lookup& lookup_;
  std::vector<Source> layers_;
  std::vector<BoundTensor> bound_;
  std::map<size_t, TensorId> by_file_tensor_;
  std::set<size_t> claimed_;
};

}  // namespace aprx
