#include "core/route/stages.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace aprx {

namespace {

// Follows which parts hold the current value of each activation, by owner of the memory.
class Whereabouts {
 public:
  explicit Whereabouts(const Graph& graph) : graph_(graph) {}

  // Notes that `part` runs `node`, and what has to be brought there first.
  void run(const Node& node, uint32_t part, std::vector<Transfer>& transfers) {
    for (const Operand& operand : node.operands) {
      const TensorId root = root_of(graph_, operand.tensor);
      if (graph_.tensor(root).kind != APRX_ACTIVATION) continue;
      // Who writes into a part of a tensor must have the rest of it.
      if (!operand.is_output || operand.tensor != root) bring(root, part, transfers);
      if (operand.is_output) holders_[root] = {part};
    }
  }

 private:
  void bring(TensorId root, uint32_t part, std::vector<Transfer>& transfers) {
    const auto holders = holders_.find(root);
    if (holders == holders_.end() || holders->second.contains(part)) return;
    transfers.push_back({root, *holders->second.begin()});
    holders->second.insert(part);
  }

  const Graph& graph_;
  std::unordered_map<TensorId, std::set<uint32_t>> holders_;
};

}  // namespace

std::vector<Stage> stages_of(const Graph& graph, std::span<const uint32_t> part_of) {
  std::vector<Stage> stages;
  Whereabouts whereabouts(graph);
  for (uint32_t i = 0; i < part_of.size(); ++i) {
    if (stages.empty() || stages.back().part != part_of[i]) stages.push_back({part_of[i], i, 0, {}});
    Stage& stage = stages.back();
    ++stage.node_count;
    whereabouts.run(graph.nodes()[i], stage.part, stage.transfers);
  }
  return stages;
}

}  // namespace aprx
