// rope: rotates pairs of each head's first n_rot values. Angles are formed in F64 once a token, then shared
// by its heads, so that they stay exact at any position.
#include <cmath>
#include <cstring>

#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/rows.h"
#include "plugins/cpu_simd/ops/workspace.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/ops/rope.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"
#include "plugins/cpu_simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// Pairs (i, i + pairs).
void rotate_neox(const float* x, const float* cosines, const float* sines, size_t pairs, float* y) {
  for_each_vector(pairs, [&](size_t i, auto lanes) HWY_ATTR {
    const Floats c = lanes.load(cosines + i);
    const Floats s = lanes.load(sines + i);
    const Floats a = lanes.load(x + i);
    const Floats b = lanes.load(x + pairs + i);
    lanes.store(hn::NegMulAdd(b, s, hn::Mul(a, c)), y + i);
    lanes.store(hn::MulAdd(a, s, hn::Mul(b, c)), y + pairs + i);
  });
}

// Pairs (2i, 2i + 1).
void rotate_interleaved(const float* x, const float* cosines, const float* sines, size_t pairs, float* y) {
  const FloatTag d;
  const size_t step = hn::Lanes(d);
  size_t i = 0;
  for (; i + step <= pairs; i += step) {
    const Floats c = hn::LoadU(d, cosines + i);
    const Floats s = hn::LoadU(d, sines + i);
    Floats a = hn::Zero(d);
    Floats b = hn::Zero(d);
    hn::LoadInterleaved2(d, x + 2 * i, a, b);
    hn::StoreInterleaved2(hn::NegMulAdd(b, s, hn::Mul(a, c)), hn::MulAdd(a, s, hn::Mul(b, c)), d, y + 2 * i);
  }
  for (; i < pairs; ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    y[2 * i] = a * cosines[i] - b * sines[i];
    y[2 * i + 1] = a * sines[i] + b * cosines[i];
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {

HWY_EXPORT(rotate_neox);
HWY_EXPORT(rotate_interleaved);

namespace {

// Angles a position: base^(−2i/n_rot) / factors[i], and divided by the scaling factor.
void fill_frequencies(const KernelArgs& args, int64_t pairs, double* frequencies) {
  const TensorView* factors = args.find(Role::kFactors);
  const bool is_scaled = args.word(Attr::kScaling) == Word::kLinear;
  const double divisor = is_scaled ? args.real(Attr::kScalingFactor) : 1.0;
  for (int64_t i = 0; i < pairs; ++i) {
    const double exponent = -static_cast<double>(i) / static_cast<double>(pairs);
    const double factor = factors == nullptr ? 1.0 : static_cast<double>(factors->f32()[i]);
    frequencies[i] = std::pow(args.real(Attr::kBase), exponent) / factor / divisor;
  }
}

struct Turns {
  float* cosines;
  float* sines;
};

void fill_turns(int32_t position, const double* frequencies, int64_t pairs, const Turns& turns) {
  for (int64_t i = 0; i < pairs; ++i) {
    const double angle = position * frequencies[i];
    turns.cosines[i] = static_cast<float>(std::cos(angle));
    turns.sines[i] = static_cast<float>(std::sin(angle));
  }
}

struct RopeWorkspace {
  explicit RopeWorkspace(int64_t n_rot) : pairs(n_rot / 2) {}
  int64_t pairs;
  [[nodiscard]] uint64_t frequency_bytes() const { return padded_bytes<double>(pairs); }
  [[nodiscard]] uint64_t worker_bytes() const { return 2 * padded_bytes<float>(pairs); }
  [[nodiscard]] Turns turns(std::span<std::byte> scratch, uint32_t worker) const {
    std::byte* mine = scratch.data() + frequency_bytes() + worker * worker_bytes();
    return {reinterpret_cast<float*>(mine), reinterpret_cast<float*>(mine + padded_bytes<float>(pairs))};
  }
};

}  // namespace

void rope(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& y = args.get(Role::kY);
  const auto* positions = args.get(Role::kPos).as<int32_t>();
  const int64_t heads = x.shape[1];
  const int64_t width = x.shape[2];
  const RopeWorkspace workspace(args.integer(Attr::kNRot));
  const int64_t pairs = workspace.pairs;
  auto* frequencies = reinterpret_cast<double*>(args.scratch.data());
  fill_frequencies(args, pairs, frequencies);
  const auto rotate = args.word(Attr::kStyle) == Word::kNeox ? HWY_DYNAMIC_POINTER(rotate_neox)
                                                             : HWY_DYNAMIC_POINTER(rotate_interleaved);
  const int64_t grain = std::max<int64_t>(1, kGrainElements / (heads * width));
  args.parallel.ranges(x.shape[0], grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    const Turns turns = workspace.turns(args.scratch, worker);
    for (int64_t t = begin; t < end; ++t) {
      fill_turns(positions[t], frequencies, pairs, turns);
      for (int64_t h = 0; h < heads; ++h) {
        const float* in = x.row(t) + h * x.stride[1];
        float* out = y.row(t) + h * y.stride[1];
        rotate(in, turns.cosines, turns.sines, static_cast<size_t>(pairs), out);
        const auto rest = static_cast<size_t>(width - 2 * pairs);
        if (in != out && rest > 0) std::memcpy(out + 2 * pairs, in + 2 * pairs, rest * sizeof(float));
      }
    }
  });
}

uint64_t rope_scratch(const NodeView& node, uint32_t workers) {
  const RopeWorkspace workspace(node.attribute(Attr::kNRot)->value.integer);
  return workspace.frequency_bytes() + workers * workspace.worker_bytes();
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
