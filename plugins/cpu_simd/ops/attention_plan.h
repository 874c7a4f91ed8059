// How the work of one `attention` node is cut: the same for every number of threads.
//
//   tile    the query heads of one key head, for up to kTileRows / heads tokens; a row is a (token, head)
//   pair split   a share of the positions, made only where there are few tiles (decoding); its sums are
//   merged in order block   kBlock positions, whose keys and values are decoded once for all rows of the tile
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "aprx/kernel.hpp"
#include "plugins/cpu_simd/ops/workspace.h"

namespace aprx::cpu {

class AttentionPlan {
 public:
  static constexpr int64_t kBlock = 32;
  static constexpr int64_t kTileRows = 64;
  static constexpr int64_t kSplitTasks = 32;       // splits are added up to about so many tasks
  static constexpr int64_t kSplitPositions = 256;  // at least, a split

  AttentionPlan(int64_t heads, int64_t kv_heads, int64_t width, int64_t cache_length)
      : heads_(heads), kv_heads_(kv_heads), width_(width), cache_length_(cache_length) {}

  [[nodiscard]] int64_t first_head(int64_t kv_head) const {
    return (kv_head * heads_ + kv_heads_ - 1) / kv_heads_;
  }
  [[nodiscard]] int64_t heads_of(int64_t kv_head) const {
    return first_head(kv_head + 1) - first_head(kv_head);
  }
  [[nodiscard]] int64_t most_heads() const { return (heads_ + kv_heads_ - 1) / kv_heads_; }
  [[nodiscard]] int64_t tile_tokens() const { return std::max<int64_t>(1, kTileRows / most_heads()); }
  [[nodiscard]] int64_t tile_rows(int64_t tokens) const {
    return std::min(tokens, tile_tokens()) * most_heads();
  }
  [[nodiscard]] int64_t tiles(int64_t tokens) const {
    return kv_heads_ * ((tokens + tile_tokens() - 1) / tile_tokens());
  }
  // Splits of a run whose longest query reads `positions` positions.
  [[nodiscard]] int64_t splits(int64_t tokens, int64_t positions) const {
    const int64_t wanted = (kSplitTasks + tiles(tokens) - 1) / tiles(tokens);
    return std::clamp<int64_t>(positions / kSplitPositions, 1, tiles(tokens) > kSplitTasks / 2 ? 1 : wanted);
  }

  // Floats from one row to the next: whole vectors of any length, so that loops over a row have no tail.
  [[nodiscard]] int64_t row_stride() const { return (width_ + 127) / 128 * 128; }

  // Memory of one worker and of the sums that splits leave behind.
  [[nodiscard]] uint64_t worker_bytes(int64_t tokens) const {
    const int64_t rows = tile_rows(tokens);
    return padded_bytes<float>((2 * rows + kBlock) * row_stride() + rows * kBlock) +
           3 * padded_bytes<float>(rows);
  }
  [[nodiscard]] int64_t partial_stride() const { return row_stride() + 16; }
  [[nodiscard]] uint64_t most_partial_bytes(int64_t tokens) const {
    if (cache_length_ < 2 * kSplitPositions) return 0;
    // splits · tiles < kSplitTasks + tiles, and splits are made for at most kSplitTasks / 2 tiles.
    return padded_bytes<float>((kSplitTasks + kSplitTasks / 2) * tile_rows(tokens) * partial_stride());
  }

 private:
  int64_t heads_;
  int64_t kv_heads_;
  int64_t width_;
  int64_t cache_length_;
};

}  // namespace aprx::cpu
