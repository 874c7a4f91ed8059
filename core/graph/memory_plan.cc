#include "core/graph/memory_plan.h"

#include <algorithm>
#include <vector>

namespace aprx {

namespace {

struct Life {
  TensorId tensor;
  size_t first;
  size_t last;
  uint64_t bytes;
};

struct Block {
  uint64_t offset;
  uint64_t end;
};

bool is_in_arena(const Tensor& tensor) { return tensor.kind == APRX_ACTIVATION || tensor.kind == APRX_INPUT; }

uint64_t rounded(uint64_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

std::vector<Life> lives_of(const Graph& graph, uint32_t tokens_max, uint32_t rows_max) {
  std::unordered_map<TensorId, Life> lives;
  const size_t end = graph.nodes().size();
  const auto touch = [&](TensorId id, size_t when) {
    const TensorId root = root_of(graph, id);
    const Tensor& tensor = graph.tensor(root);
    if (!is_in_arena(tensor)) return;
    const Life fresh{root, when, when, rounded(tensor_bytes(tensor, tokens_max, rows_max))};
    Life& life = lives.try_emplace(root, fresh).first->second;
    life.first = std::min(life.first, when);
    life.last = std::max(life.last, when);
  };
  for (size_t i = 0; i < end; ++i) {
    for (const Operand& operand : graph.nodes()[i].operands) touch(operand.tensor, i);
  }
  for (const TensorId id : {graph.ids, graph.positions, graph.rows, graph.logits}) {
    touch(id, 0);
    touch(id, end);
  }
  std::vector<Life> out;
  for (const auto& [id, life] : lives) out.push_back(life);
  // Large tensors first: they leave gaps that small ones fill. Ties by id, so plans are reproducible.
  std::ranges::sort(out, [](const Life& a, const Life& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.tensor < b.tensor;
  });
  return out;
}

// The lowest gap between `taken` (sorted by offset) that holds `bytes`.
uint64_t lowest_gap(const std::vector<Block>& taken, uint64_t bytes) {
  uint64_t at = 0;
  for (const Block& block : taken) {
    if (block.offset >= at && block.offset - at >= bytes) return at;
    at = std::max(at, block.end);
  }
  return at;
}

}  // namespace

uint64_t MemoryPlan::offset_of(const Graph& graph, TensorId id) const {
  const Tensor& tensor = graph.tensor(id);
  const uint64_t view = static_cast<uint64_t>(row_bytes(tensor.dtype, tensor.offset));
  return offsets.at(root_of(graph, id)) + view;
}

MemoryPlan plan_memory(const Graph& graph, uint32_t tokens_max, uint32_t rows_max) {
  MemoryPlan plan;
  std::vector<Life> placed;
  for (const Life& life : lives_of(graph, tokens_max, rows_max)) {
    std::vector<Block> taken;
    for (const Life& other : placed) {
      if (other.first > life.last || other.last < life.first) continue;
      const uint64_t offset = plan.offsets.at(other.tensor);
      taken.push_back({offset, offset + other.bytes});
    }
    std::ranges::sort(taken, {}, &Block::offset);
    const uint64_t offset = lowest_gap(taken, life.bytes);
    plan.offsets.emplace(life.tensor, offset);
    plan.size = std::max(plan.size, offset + life.bytes);
    placed.push_back(life);
  }
  return plan;
}

}  // namespace aprx
