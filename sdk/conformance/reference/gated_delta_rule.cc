// For each value head, S stored [dv, dk], row j apart from the others:
//
//   S[j] ← exp(g)·S[j]        u = β·(v[j] − S[j]·k)        S[j] ← S[j] + u·k        y[j] = S[j]·(scale·q)
//
// The read is from the decayed state, the output from the updated one. Source: Gated Delta Networks,
// arXiv 2412.06464.
#include <cmath>

#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {
namespace {

struct Step {
  const float* q;
  const float* k;
  double v;
  double decay;
  double beta;
};

double advance(const Step& step, double scale, int64_t width, double* row) {
  double read = 0.0;
  for (int64_t i = 0; i < width; ++i) {
    row[i] *= step.decay;
    read += row[i] * step.k[i];
  }
  const double correction = step.beta * (step.v - read);
  double output = 0.0;
  for (int64_t i = 0; i < width; ++i) {
    row[i] += correction * step.k[i];
    output += row[i] * step.q[i];
  }
  return output * scale;
}

}  // namespace

void gated_delta_rule(const KernelArgs& args) {
  const TensorView& q = args.get(Role::kQ);
  const TensorView& k = args.get(Role::kK);
  const TensorView& v = args.get(Role::kV);
  const TensorView& g = args.get(Role::kG);
  const TensorView& beta = args.get(Role::kBeta);
  const TensorView& state = args.get(Role::kDeltaState);
  const TensorView& y = args.get(Role::kY);
  const double scale = args.real(Attr::kScale);
  const bool tiled = args.word(Attr::kHeadMap) == Word::kTiled;
  const int64_t key_heads = k.shape[1];
  const int64_t value_heads = state.shape[0];
  const int64_t rows = state.shape[1];
  const int64_t width = state.shape[2];
  const uint64_t stride = padded(static_cast<uint64_t>(width) * sizeof(double));
  args.parallel.ranges(value_heads * rows, 1, [&](int64_t begin, int64_t end, uint32_t worker) {
    auto* row = reinterpret_cast<double*>(args.scratch.data() + worker * stride);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t h = r / rows;
      const int64_t j = r % rows;
      const int64_t key_head = tiled ? h % key_heads : h * key_heads / value_heads;
      float* stored = state.f32() + r * width;
      for (int64_t i = 0; i < width; ++i) row[i] = stored[i];
      for (int64_t t = 0; t < v.shape[0]; ++t) {
        const Step step{.q = q.row(t) + key_head * q.stride[1],
                        .k = k.row(t) + key_head * k.stride[1],
                        .v = (v.row(t) + h * v.stride[1])[j],
                        .decay = std::exp(static_cast<double>(g.row(t)[h])),
                        .beta = beta.row(t)[h]};
        (y.row(t) + h * y.stride[1])[j] = static_cast<float>(advance(step, scale, width, row));
      }
      for (int64_t i = 0; i < width; ++i) stored[i] = static_cast<float>(row[i]);
    }
  });
}

bool gated_delta_rule_accepts(const NodeView& node, aprx_verdict& verdict) {
  const Word map = word_of(node, Attr::kHeadMap);
  if (map != Word::kTiled && map != Word::kBlocked) return refuse_word(verdict, Attr::kHeadMap, map);
  const int64_t key_heads = node.find(Role::kK)->shape[1];
  const int64_t value_heads = node.find(Role::kV)->shape[1];
  if (key_heads > 0 && value_heads % key_heads == 0) return true;
  return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kV, "%lld value heads for %lld key heads",
                static_cast<long long>(value_heads), static_cast<long long>(key_heads));
}

uint64_t gated_delta_rule_scratch(const NodeView& node, uint32_t workers) {
  return workers * padded(static_cast<uint64_t>(node.find(Role::kDeltaState)->shape[2]) * sizeof(double));
}

}  // namespace aprx::conformance
