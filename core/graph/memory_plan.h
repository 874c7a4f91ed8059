// Where each activation lies in the arena: tensors that don't live at the same time share memory.
#pragma once

#include <span>
#include <unordered_map>

#include "core/graph/graph.h"

namespace aprx {

inline constexpr uint64_t kArenaAlignment = 128;

struct MemoryPlan {
  // Byte offset of every activation and input that owns memory; views are found by their root.
  std::unordered_map<TensorId, uint64_t> offsets;
  uint64_t size = 0;

  // Byte offset of any arena tensor, views included.
  [[nodiscard]] uint64_t offset_of(const Graph& graph, TensorId id) const;
};

// Plans for runs of at most these counts. Inputs and logits live throughout.
[[nodiscard]] MemoryPlan plan_memory(const Graph& graph, uint32_t tokens_max, uint32_t rows_max);

}  // namespace aprx
