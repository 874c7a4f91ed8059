// One run of an `attention` node and the memory that its tasks share or own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "aprx/kernel.hpp"
#include "plugins/cpu_simd/ops/attention_plan.h"

namespace aprx::cpu {

struct PositionSpan {
  int64_t begin;
  int64_t end;
};

// One run of the node, as its tasks see it.
struct AttentionCall {
  const TensorView& q;
  const TensorView& keys;
  const TensorView& values;
  const TensorView& y;
  const int32_t* positions;
  float scale;
  float softcap;
  int64_t window;
  AttentionPlan plan;

  [[nodiscard]] int64_t tokens() const { return q.shape[0]; }
  // Positions that token `t` attends to.
  [[nodiscard]] PositionSpan seen_by(int64_t t) const {
    const int64_t end = int64_t{positions[t]} + 1;
    return {window > 0 ? std::max<int64_t>(0, end - window) : 0, end};
  }
  // Positions that any of the tokens attends to.
  [[nodiscard]] PositionSpan seen_by(int64_t first, int64_t count) const {
    PositionSpan all = seen_by(first);
    for (int64_t t = first + 1; t < first + count; ++t) {
      const PositionSpan span = seen_by(t);
      all = {std::min(all.begin, span.begin), std::max(all.end, span.end)};
    }
    return all;
  }
};

struct AttentionTile {
  int64_t kv_head;
  int64_t first_token;
  int64_t tokens;
  int64_t first_head;
  int64_t heads;
  [[nodiscard]] int64_t rows() const { return tokens * heads; }
  [[nodiscard]] int64_t token(int64_t row) const { return first_token + row / heads; }
  [[nodiscard]] int64_t head(int64_t row) const { return first_head + row % heads; }
};

// Memory of one worker.
struct AttentionMemory {
  AttentionMemory(std::byte* memory, const AttentionPlan& plan, int64_t tokens) : stride(plan.row_stride()) {
    const int64_t rows = plan.tile_rows(tokens);
    q = reinterpret_cast<float*>(memory);
    sums = q + rows * stride;
    block = sums + rows * stride;
    scores = block + AttentionPlan::kBlock * stride;
    largest = scores + rows * AttentionPlan::kBlock;
    total = largest + rows;
    keep = total + rows;
  }
  int64_t stride;
  float* q;        // [rows][stride] scaled queries
  float* sums;     // [rows][stride] Σ weight · value so far
  float* block;    // [kBlock][stride] decoded keys, then values
  float* scores;   // [rows][kBlock] of the block, then its weights
  float* largest;  // [rows] score so far
  float* total;    // [rows] Σ weight so far
  float* keep;     // [rows] what this block leaves of the earlier sums
};

// Sums over a share of the positions, for each row of y: what AttentionMemory holds at the end.
struct AttentionPartials {
  std::byte* memory;
  int64_t rows;
  int64_t row_stride;
  int64_t stride;
  [[nodiscard]] float* at(int64_t split, int64_t row) const {
    return reinterpret_cast<float*>(memory) + (split * rows + row) * stride;
  }
};

}  // namespace aprx::cpu
