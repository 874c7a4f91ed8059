// y = softmax(scale · q kᵀ) v over the cached positions p ≤ pos, and pos − p < window where a window is set.
// Query head h reads key head ⌊h·G/H⌋. softcap > 0: scores become softcap · tanh(score / softcap).
// Source: Attention Is All You Need, arXiv 1706.03762; grouped heads: arXiv 2305.13245.
#include <algorithm>
#include <cmath>

#include "aprx/dtype/decode.hpp"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {
namespace {

// Scratch of one worker: scores of all positions, the output in F64, one decoded head of the cache.
struct Workspace {
  double* scores;
  double* sums;
  float* head;

  static uint64_t bytes(int64_t positions, int64_t width) {
    return padded(static_cast<uint64_t>(positions + width) * sizeof(double) +
                  static_cast<uint64_t>(width) * sizeof(float));
  }
  static Workspace at(std::byte* memory, int64_t positions, int64_t width) {
    auto* scores = reinterpret_cast<double*>(memory);
    double* sums = scores + positions;
    return {scores, sums, reinterpret_cast<float*>(sums + width)};
  }
};

const float* cached_head(const TensorView& cache, int64_t position, int64_t head, float* decoded) {
  const int64_t width = cache.shape[2];
  const int64_t row = position * cache.shape[1] + head;
  decoder(cache.dtype)(cache.as<uint8_t>() + row * row_bytes(cache.dtype, width), width, decoded);
  return decoded;
}

struct Scoring {
  double scale;
  double softcap;
  int64_t window;

  [[nodiscard]] int64_t first_position(int64_t position) const {
    return window > 0 ? std::max<int64_t>(0, position - window + 1) : 0;
  }
  [[nodiscard]] double score(double dot) const {
    const double scaled = dot * scale;
    return softcap > 0 ? softcap * std::tanh(scaled / softcap) : scaled;
  }
};

struct HeadTask {
  const float* q;
  int64_t kv_head;
  int64_t first;
  int64_t last;  // the query's own position
  float* y;
};

void attend(const HeadTask& task, const Scoring& scoring, const TensorView& keys, const TensorView& values,
            const Workspace& workspace) {
  const int64_t width = keys.shape[2];
  double largest = -INFINITY;
  for (int64_t p = task.first; p <= task.last; ++p) {
    const float* key = cached_head(keys, p, task.kv_head, workspace.head);
    double dot = 0.0;
    for (int64_t i = 0; i < width; ++i) dot += static_cast<double>(task.q[i]) * key[i];
    workspace.scores[p] = scoring.score(dot);
    largest = std::max(largest, workspace.scores[p]);
  }
  const int64_t value_width = values.shape[2];
  std::fill_n(workspace.sums, value_width, 0.0);
  double total = 0.0;
  for (int64_t p = task.first; p <= task.last; ++p) {
    const double weight = std::exp(workspace.scores[p] - largest);
    const float* value = cached_head(values, p, task.kv_head, workspace.head);
    for (int64_t i = 0; i < value_width; ++i) workspace.sums[i] += weight * value[i];
    total += weight;
  }
  for (int64_t i = 0; i < value_width; ++i) task.y[i] = static_cast<float>(workspace.sums[i] / total);
}

}  // namespace

void attention(const KernelArgs& args) {
  const TensorView& q = args.get(Role::kQ);
  const TensorView& y = args.get(Role::kY);
  const TensorView& keys = args.get(Role::kKCache);
  const TensorView& values = args.get(Role::kVCache);
  const auto* positions = args.get(Role::kPos).as<int32_t>();
  const Scoring scoring{args.real(Attr::kScale), args.real(Attr::kSoftcap), args.integer(Attr::kWindow)};
  const int64_t heads = q.shape[1];
  const int64_t kv_heads = keys.shape[1];
  const int64_t width = std::max(keys.shape[2], values.shape[2]);
  const uint64_t stride = Workspace::bytes(keys.shape[0], width);
  args.parallel.ranges(q.shape[0] * heads, 1, [&](int64_t begin, int64_t end, uint32_t worker) {
    const Workspace workspace = Workspace::at(args.scratch.data() + worker * stride, keys.shape[0], width);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t position = positions[r / heads];
      assert(position >= 0 && position < keys.shape[0]);
      attend({flat_row(q, r), r % heads * kv_heads / heads, scoring.first_position(position), position,
              flat_row(y, r)},
             scoring, keys, values, workspace);
    }
  });
}

bool attention_accepts(const NodeView& node, aprx_verdict& verdict) {
  return rows_are_whole_blocks(node, Role::kKCache, verdict) &&
         rows_are_whole_blocks(node, Role::kVCache, verdict);
}

uint64_t attention_scratch(const NodeView& node, uint32_t workers) {
  const aprx_tensor& keys = *node.find(Role::kKCache);
  const int64_t width = std::max(keys.shape[2], node.find(Role::kVCache)->shape[2]);
  return workers * Workspace::bytes(keys.shape[0], width);
}

}  // namespace aprx::conformance
