// attention with an online softmax in F32: no score is kept longer than for one block of positions.
//
// Work: 2·d multiply-adds for each query head and position. Bytes: each cached row is read once for a tile,
// so decoding is bound by memory and prefill by the multiplier. Source: arXiv 1805.02867 (online softmax).
#include <cmath>

#include "plugins/cpu_simd/ops/attention_call.h"
#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/limits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/ops/attention.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"
#include "plugins/cpu_simd/math-inl.h"
#include "plugins/cpu_simd/ops/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// Attends the rows of one tile to a span of positions, block by block.
class TileWalk {
 public:
  TileWalk(const AttentionCall& call, const AttentionTile& tile, const AttentionMemory& memory)
      : call_(call), tile_(tile), memory_(memory), width_(call.keys.shape[2]) {
    const auto pair = static_cast<int64_t>(2 * hn::Lanes(D()));
    padded_width_ = (width_ + pair - 1) / pair * pair;
  }

  void run(const PositionSpan& span) {
    start();
    for (int64_t p = span.begin; p < span.end; p += kBlock) {
      const PositionSpan block{p, std::min(p + kBlock, span.end)};
      weigh(block, rows_of(call_.keys, block));
      add(block, rows_of(call_.values, block));
    }
  }

 private:
  void start() {
    const auto rows = tile_.rows();
    for (int64_t r = 0; r < rows; ++r) {
      const float* from = call_.q.row(tile_.token(r)) + tile_.head(r) * call_.q.stride[1];
      float* to = memory_.q + r * memory_.stride;
      for (int64_t i = 0; i < width_; ++i) to[i] = from[i] * call_.scale;
      std::fill(to + width_, to + padded_width_, 0.0F);
      std::fill_n(memory_.sums + r * memory_.stride, padded_width_, 0.0F);
    }
    std::fill_n(memory_.largest, rows, -INFINITY);
    std::fill_n(memory_.total, rows, 0.0F);
    for (int64_t p = 0; p < kBlock && padded_width_ > width_; ++p) {
      std::fill_n(memory_.block + p * memory_.stride + width_, padded_width_ - width_, 0.0F);
    }
  }

  // The block's rows of this tile's head in F32: as they are where that's possible, else decoded.
  BlockRows rows_of(const TensorView& cache, const PositionSpan& block) {
    const int64_t count = block.end - block.begin;
    const int64_t head_bytes = row_bytes(cache.dtype, width_);
    const int64_t row_stride = cache.shape[1] * head_bytes;
    const uint8_t* from = cache.as<uint8_t>() + block.begin * row_stride + tile_.kv_head * head_bytes;
    if (cache.dtype == DType::kF32 && padded_width_ == width_) {
      return {reinterpret_cast<const float*>(from), cache.shape[1] * width_, count};
    }
    for (int64_t p = 0; p < count; ++p, from += row_stride) {
      decode_row(cache.dtype, from, width_, memory_.block + p * memory_.stride);
    }
    return {memory_.block, memory_.stride, count};
  }

  // What row `r` sees of the block, counted from the block's start; empty if end <= begin.
  [[nodiscard]] PositionSpan seen(int64_t r, const PositionSpan& block) const {
    const PositionSpan span = call_.seen_by(tile_.token(r));
    return {std::max(span.begin, block.begin) - block.begin, std::min(span.end, block.end) - block.begin};
  }
  // Whether rows r .. r+3 exist and see the same of the block.
  [[nodiscard]] bool four_alike(int64_t r, const PositionSpan& block, const PositionSpan& first) const {
    if (r + 4 > tile_.rows()) return false;
    for (int64_t i = 1; i < 4; ++i) {
      const PositionSpan other = seen(r + i, block);
      if (other.begin != first.begin || other.end != first.end) return false;
    }
    return true;
  }
  static BlockRows part_of(const BlockRows& rows, const PositionSpan& seen) {
    return {rows.data + seen.begin * rows.stride, rows.stride, seen.end - seen.begin};
  }

  void weigh(const PositionSpan& block, const BlockRows& keys) {
    for (int64_t r = 0; r < tile_.rows();) {
      const PositionSpan part = seen(r, block);
      const int64_t rows = four_alike(r, block, part) ? 4 : 1;
      const float* q = memory_.q + r * memory_.stride;
      float* scores = memory_.scores + r * kBlock;
      if (part.begin < part.end) {
        const BlockRows used = part_of(keys, part);
        if (rows == 4) {
          score_four_rows(q, memory_.stride, padded_width_, used, scores);
        } else {
          score_one_row(q, padded_width_, used, scores);
        }
        for (int64_t i = r; i < r + rows; ++i) soften(i, used.count);
      }
      r += rows;
    }
  }

  // Turns the first `count` scores of row `r` into weights relative to the largest score so far.
  void soften(int64_t r, int64_t count) {
    const hn::CappedTag<float, kBlock> d;
    const auto step = static_cast<int64_t>(hn::Lanes(d));
    float* scores = memory_.scores + r * kBlock;
    const int64_t padded = (count + step - 1) / step * step;
    if (call_.softcap > 0) {
      const auto cap = hn::Set(d, call_.softcap);
      for (int64_t i = 0; i < padded; i += step) {
        hn::StoreU(hn::Mul(cap, Tanh{}(d, hn::Div(hn::LoadU(d, scores + i), cap))), d, scores + i);
      }
    }
    std::fill(scores + count, scores + padded, -INFINITY);
    auto most = hn::Set(d, memory_.largest[r]);
    for (int64_t i = 0; i < padded; i += step) most = hn::Max(most, hn::LoadU(d, scores + i));
    const float largest = hn::ReduceMax(d, most);
    auto sum = hn::Zero(d);
    for (int64_t i = 0; i < padded; i += step) {
      const auto weight = exp(d, hn::Sub(hn::LoadU(d, scores + i), hn::Set(d, largest)));
      hn::StoreU(weight, d, scores + i);
      sum = hn::Add(sum, weight);
    }
    const float keep = std::exp(memory_.largest[r] - largest);
    memory_.keep[r] = keep;
    memory_.total[r] = memory_.total[r] * keep + hn::ReduceSum(d, sum);
    memory_.largest[r] = largest;
  }

  void add(const PositionSpan& block, const BlockRows& values) {
    for (int64_t r = 0; r < tile_.rows();) {
      const PositionSpan part = seen(r, block);
      const int64_t rows = four_alike(r, block, part) ? 4 : 1;
      const float* weights = memory_.scores + r * kBlock;
      float* sums = memory_.sums + r * memory_.stride;
      if (part.begin < part.end) {
        const BlockRows used = part_of(values, part);
        if (rows == 4) {
          add_four_rows(weights, memory_.keep + r, padded_width_, used, sums, memory_.stride);
        } else {
          add_one_row(weights, memory_.keep[r], padded_width_, used, sums);
        }
      }
      r += rows;
    }
  }

  const AttentionCall& call_;
  const AttentionTile& tile_;
  const AttentionMemory& memory_;
  int64_t width_;
  int64_t padded_width_ = 0;
};

void attend(const AttentionCall& call, const AttentionTile& tile, const PositionSpan& span,
            const AttentionMemory& memory) {
  TileWalk(call, tile, memory).run(span);
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {

HWY_EXPORT(attend);

namespace {

// Less than this many multiply-adds are done faster than a worker wakes up.
constexpr int64_t kSerialWork = 100'000;

AttentionTile tile_at(const AttentionCall& call, int64_t index) {
  const int64_t kv_head = index % call.keys.shape[1];
  const int64_t first = index / call.keys.shape[1] * call.plan.tile_tokens();
  return {kv_head, first, std::min(call.plan.tile_tokens(), call.tokens() - first),
          call.plan.first_head(kv_head), call.plan.heads_of(kv_head)};
}

// Share `split` of `all`, in whole blocks; the last shares may be empty.
PositionSpan share(const PositionSpan& all, int64_t split, int64_t splits) {
  constexpr int64_t kBlock = AttentionPlan::kBlock;
  const int64_t each = ((all.end - all.begin + splits - 1) / splits + kBlock - 1) / kBlock * kBlock;
  const int64_t begin = std::min(all.begin + split * each, all.end);
  return {begin, std::min(begin + each, all.end)};
}

void write_rows(const AttentionCall& call, const AttentionTile& tile, const AttentionMemory& memory) {
  const int64_t width = call.values.shape[2];
  for (int64_t r = 0; r < tile.rows(); ++r) {
    float* y = call.y.row(tile.token(r)) + tile.head(r) * call.y.stride[1];
    const float* sums = memory.sums + r * memory.stride;
    for (int64_t i = 0; i < width; ++i) y[i] = sums[i] / memory.total[r];
  }
}

void keep_rows(const AttentionCall& call, const AttentionTile& tile, const AttentionMemory& memory,
               int64_t split, const AttentionPartials& partials) {
  for (int64_t r = 0; r < tile.rows(); ++r) {
    float* kept = partials.at(split, tile.token(r) * call.q.shape[1] + tile.head(r));
    std::copy_n(memory.sums + r * memory.stride, call.values.shape[2], kept);
    kept[partials.row_stride] = memory.largest[r];
    kept[partials.row_stride + 1] = memory.total[r];
  }
}

// y = Σ sums · e^(largest − M) / Σ total · e^(largest − M), M the largest of all splits.
void merge_row(const AttentionCall& call, const AttentionPartials& partials, int64_t splits, int64_t row) {
  const int64_t width = call.values.shape[2];
  const int64_t heads = call.q.shape[1];
  float* y = call.y.row(row / heads) + row % heads * call.y.stride[1];
  float largest = -INFINITY;
  for (int64_t s = 0; s < splits; ++s) largest = std::max(largest, partials.at(s, row)[partials.row_stride]);
  float total = 0.0F;
  std::fill_n(y, width, 0.0F);
  for (int64_t s = 0; s < splits; ++s) {
    const float* sums = partials.at(s, row);
    const float keep = std::exp(sums[partials.row_stride] - largest);
    total += keep * sums[partials.row_stride + 1];
    for (int64_t i = 0; i < width; ++i) y[i] += keep * sums[i];
  }
  for (int64_t i = 0; i < width; ++i) y[i] /= total;
}

AttentionCall call_of(const KernelArgs& args) {
  const TensorView& q = args.get(Role::kQ);
  const TensorView& keys = args.get(Role::kKCache);
  return {.q = q,
          .keys = keys,
          .values = args.get(Role::kVCache),
          .y = args.get(Role::kY),
          .positions = args.get(Role::kPos).as<int32_t>(),
          .scale = static_cast<float>(args.real(Attr::kScale)),
          .softcap = static_cast<float>(args.real(Attr::kSoftcap)),
          .window = args.integer(Attr::kWindow),
          .plan = {q.shape[1], keys.shape[1], keys.shape[2], keys.shape[0]}};
}

AttentionPlan plan_of(const NodeView& node) {
  const aprx_tensor& keys = *node.find(Role::kKCache);
  return {node.find(Role::kQ)->shape[1], keys.shape[1], keys.shape[2], keys.shape[0]};
}

}  // namespace

void attention(const KernelArgs& args) {
  const AttentionCall call = call_of(args);
  const TensorView& q = call.q;
  const TensorView& keys = call.keys;
  const int64_t tokens = call.tokens();
  if (tokens == 0) return;
  check_indices({call.positions, static_cast<size_t>(tokens)}, keys.shape[0], "position");
  const PositionSpan all = call.seen_by(0, tokens);
  const int64_t tiles = call.plan.tiles(tokens);
  const int64_t splits = call.plan.splits(tokens, all.end - all.begin);
  const bool is_small = tokens * q.shape[1] * (all.end - all.begin) * keys.shape[2] * 2 < kSerialWork;
  const Parallel parallel = is_small ? Parallel() : args.parallel;
  const AttentionPartials partials{
      args.scratch.data() + args.parallel.workers() * call.plan.worker_bytes(tokens), tokens * q.shape[1],
      call.plan.row_stride(), call.plan.partial_stride()};
  const auto attend_tile = HWY_DYNAMIC_POINTER(attend);
  parallel.run(static_cast<uint32_t>(tiles * splits), [&](uint32_t task, uint32_t worker) {
    const AttentionTile tile = tile_at(call, task % tiles);
    const int64_t split = task / tiles;
    const AttentionMemory memory(args.scratch.data() + worker * call.plan.worker_bytes(tokens), call.plan,
                                 tokens);
    attend_tile(call, tile, share(call.seen_by(tile.first_token, tile.tokens), split, splits), memory);
    if (splits == 1) return write_rows(call, tile, memory);
    keep_rows(call, tile, memory, split, partials);
  });
  if (splits == 1) return;
  parallel.ranges(partials.rows, kSerialWork / (splits * keys.shape[2]) + 1,
                  [&](int64_t begin, int64_t end, uint32_t) {
                    for (int64_t row = begin; row < end; ++row) merge_row(call, partials, splits, row);
                  });
}

uint64_t attention_scratch(const NodeView& node, uint32_t workers) {
  const AttentionPlan plan = plan_of(node);
  return workers * plan.worker_bytes(node.tokens_max()) + plan.most_partial_bytes(node.tokens_max());
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
