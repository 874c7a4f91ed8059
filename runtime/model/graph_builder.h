// The steps of build_graph: node lists, one place after the other, then what is left over in the file.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/model/build_graph.h"
#include "runtime/model/lookup.h"

namespace aprx {

// Where a node list stands.
struct Place {
  LayerIndex layer;
  std::string label;  // of its nodes
  std::string kind;   // of its layer
};

// Used once. Borrows the look-up.
class GraphBuilder {
 public:
  // `layers` are the sources of the number of layers, for messages.
  GraphBuilder(const Lookup& lookup, const GraphOptions& options, const std::vector<Source>& layers);

  Result<void> add_nodes(const std::vector<NodeTemplate>& nodes, const Place& place);
  // Proves and counts the tensors of draft blocks, which stand behind the layers. One among the
  // layers is refused: the file counts its blocks wrongly.
  Result<void> claim_drafts(const Evaluated& layers);
  [[nodiscard]] Result<BuiltGraph> finish();

 private:
  using Chosen = std::vector<const NodeTemplate*>;
  [[nodiscard]] Chosen chosen(const std::vector<NodeTemplate>& nodes, const Place& place) const;
  [[nodiscard]] bool is_left_out(const NodeTemplate& node, LayerIndex layer) const;
  [[nodiscard]] std::set<std::string> layer_keys(const Chosen& nodes, const Place& place) const;
  Result<Node> bind(const NodeTemplate& from, const Place& place);
  Result<void> bind_operand(Node& node, const OperandTemplate& from, LayerIndex layer);
  Result<void> connect(const NodeTemplate& from, Node node);
  [[nodiscard]] Result<aprx_attribute> attribute(const AttributeTemplate& from, const Place& place) const;
  [[nodiscard]] Result<aprx_attribute> by_kind(const AttributeTemplate& from, const Place& place) const;
  [[nodiscard]] Result<aprx_attribute> number(const AttributeTemplate& from, LayerIndex layer) const;
  [[nodiscard]] Result<aprx_attribute> mapped(const AttributeTemplate& from, const Place& place) const;
  [[nodiscard]] Result<aprx_attribute> setting(const AttributeTemplate& from) const;
  [[nodiscard]] std::optional<size_t> draft_tensor(int64_t block) const;  // index in the file
  [[nodiscard]] std::string unclaimed_warning() const;                    // "" if there is nothing to say

  const Lookup& lookup_;
  Binder binder_;
  Graph graph_;
  std::map<std::string, TensorId> values_;  // names of `in` and `out`
};

}  // namespace aprx
