// The operators of the gated delta net that have a kernel of their own: causal_conv1d, delta_gate,
// gated_delta_rule.
#include <cmath>

#include "plugins/cpu_simd/ops/causal_conv1d_block.h"
#include "plugins/cpu_simd/ops/delta_rows.h"
#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/ops/delta_net.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"
#include "plugins/cpu_simd/lanes-inl.h"
#include "plugins/cpu_simd/math-inl.h"
#include "plugins/cpu_simd/ops/causal_conv1d-inl.h"
#include "plugins/cpu_simd/ops/delta_rule-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

struct Unchanged {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};

template <class Act>
void convolve(const ConvBlock& block) {
  turn(block.conv, block.channels, block.taps_count, block.taps);
  turn(block.state, block.channels, block.taps_count - 1, block.history);
  if (block.taps_count == 4) {
    convolve_four_taps<Act>(block);
  } else {
    convolve_any_taps<Act>(block);
  }
  keep_history(block);
}

void convolve_plain(const ConvBlock& block) { convolve<Unchanged>(block); }
void convolve_silu(const ConvBlock& block) { convolve<Silu>(block); }

// g = neg_a · softplus(a + dt_bias), beta = sigmoid(b); p holds g, beta, a, b, dt_bias, neg_a.
void gate_row(const std::array<float*, 6>& p, int64_t heads) {
  for_each_vector(static_cast<size_t>(heads), [&](size_t i, auto lanes) HWY_ATTR {
    const Floats a = hn::Add(lanes.load(p[2] + i), lanes.load(p[4] + i));
    lanes.store(hn::Mul(lanes.load(p[5] + i), Softplus{}(FloatTag(), a)), p[0] + i);
    lanes.store(Sigmoid{}(FloatTag(), lanes.load(p[3] + i)), p[1] + i);
  });
}

// Rows of one head's state through all tokens of the run.
void run_delta_rows(const DeltaRows& rows) {
  const auto n = static_cast<size_t>(rows.width);
  const bool is_whole = n % hn::Lanes(FloatTag()) == 0;
  float products[DeltaRows::kMostRows];
  for (int64_t r = 0; r < rows.count; ++r) products[r] = dot(rows.state + r * rows.width, rows.k, n);
  for (int64_t t = 0; t < rows.tokens; ++t) {
    const int64_t next = std::min(t + 1, rows.tokens - 1);
    const DeltaStep step{rows.k + t * rows.k_stride,      rows.q + t * rows.q_stride,
                         rows.k + next * rows.k_stride,   rows.v + t * rows.v_stride,
                         rows.y + t * rows.y_stride,      std::exp(rows.g[t * rows.g_stride]),
                         rows.beta[t * rows.beta_stride], rows.scale};
    int64_t r = 0;
    for (; is_whole && r + 4 <= rows.count; r += 4) {
      step_four_rows(step, r, n, rows.state + r * rows.width, products);
    }
    for (; r < rows.count; ++r) step_row(step, r, n, rows.state + r * rows.width, products);
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {

HWY_EXPORT(convolve_plain);
HWY_EXPORT(convolve_silu);
HWY_EXPORT(gate_row);
HWY_EXPORT(run_delta_rows);

namespace {

// Less than this many multiply-adds are done faster than a worker wakes up.
constexpr int64_t kSerialWork = 50'000;

// Rows first … first+count−1 of the state of value head `head`.
DeltaRows rows_of(const KernelArgs& args, int64_t head, int64_t first, int64_t count) {
  const TensorView& q = args.get(Role::kQ);
  const TensorView& k = args.get(Role::kK);
  const TensorView& v = args.get(Role::kV);
  const TensorView& g = args.get(Role::kG);
  const TensorView& beta = args.get(Role::kBeta);
  const TensorView& y = args.get(Role::kY);
  const TensorView& state = args.get(Role::kDeltaState);
  const int64_t key_heads = k.shape[1];
  const bool is_blocked = args.word(Attr::kHeadMap) == Word::kBlocked;
  const int64_t key_head = is_blocked ? head * key_heads / state.shape[0] : head % key_heads;
  return {.count = count,
          .width = state.shape[2],
          .tokens = v.shape[0],
          .state = state.f32() + (head * state.shape[1] + first) * state.shape[2],
          .q = q.f32() + key_head * q.stride[1],
          .k = k.f32() + key_head * k.stride[1],
          .v = v.f32() + head * v.stride[1] + first,
          .g = g.f32() + head,
          .beta = beta.f32() + head,
          .y = y.f32() + head * y.stride[1] + first,
          .q_stride = q.stride[0],
          .k_stride = k.stride[0],
          .v_stride = v.stride[0],
          .g_stride = g.stride[0],
          .beta_stride = beta.stride[0],
          .y_stride = y.stride[0],
          .scale = static_cast<float>(args.real(Attr::kScale))};
}

}  // namespace

void causal_conv1d(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& y = args.get(Role::kY);
  const TensorView& conv = args.get(Role::kConv);
  const TensorView* bias = args.find(Role::kBias);
  float* state = args.get(Role::kConvState).f32();
  const int64_t tokens = x.shape[0];
  const int64_t channels = x.shape[1];
  const int64_t taps = conv.shape[1];
  if (tokens == 0) return;
  constexpr int64_t kChannels = ConvBlock::kChannels;
  const auto convolve = args.word(Attr::kAct) == Word::kSilu ? HWY_DYNAMIC_POINTER(convolve_silu)
                                                             : HWY_DYNAMIC_POINTER(convolve_plain);
  const auto run_block = [&](int64_t block, uint32_t worker) {
    const int64_t c = block * kChannels;
    auto* memory = reinterpret_cast<float*>(args.scratch.data() + worker * ConvBlock::worker_bytes(taps));
    convolve({.channels = std::min(kChannels, channels - c),
              .tokens = tokens,
              .taps_count = taps,
              .x = x.f32() + c,
              .x_stride = x.stride[0],
              .y = y.f32() + c,
              .y_stride = y.stride[0],
              .conv = conv.f32() + c * taps,
              .bias = bias == nullptr ? nullptr : bias->f32() + c,
              .state = state + c * (taps - 1),
              .taps = memory,
              .history = memory + taps * kChannels});
  };
  const int64_t grain = std::max<int64_t>(1, kSerialWork / (tokens * taps * kChannels));
  args.parallel.ranges((channels + kChannels - 1) / kChannels, grain,
                       [&](int64_t begin, int64_t end, uint32_t worker) {
                         for (int64_t block = begin; block < end; ++block) run_block(block, worker);
                       });
}

uint64_t causal_conv1d_scratch(const NodeView& node, uint32_t workers) {
  return workers * ConvBlock::worker_bytes(node.find(Role::kConv)->shape[1]);
}

void delta_gate(const KernelArgs& args) {
  const Rows<6> rows({&args.get(Role::kG), &args.get(Role::kBeta), &args.get(Role::kA), &args.get(Role::kB),
                      &args.get(Role::kDtBias), &args.get(Role::kNegA)},
                     RowKind::kLastAxis);
  rows.for_each_row(args.parallel, HWY_DYNAMIC_POINTER(gate_row));
}

void gated_delta_rule(const KernelArgs& args) {
  const TensorView& state = args.get(Role::kDeltaState);
  const int64_t tokens = args.get(Role::kV).shape[0];
  const int64_t height = state.shape[1];
  const int64_t width = state.shape[2];
  if (tokens == 0) return;
  const auto run_rows = HWY_DYNAMIC_POINTER(run_delta_rows);
  const int64_t block = DeltaRows::rows_in_cache(width);
  const int64_t blocks = (height + block - 1) / block;
  const int64_t grain = std::max<int64_t>(1, kSerialWork / (tokens * block * width * 4));
  args.parallel.ranges(state.shape[0] * blocks, grain, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % blocks * block;
      run_rows(rows_of(args, task / blocks, first, std::min(block, height - first)));
    }
  });
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
