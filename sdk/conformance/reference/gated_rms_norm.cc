// norm_first: y = rms_norm(x, w) · act(z)        gate_first: y = rms_norm(x · act(z), w)
#include <cmath>

#include "sdk/conformance/reference/activation.h"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void gated_rms_norm(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& z = args.get(Role::kZ);
  const float* w = args.get(Role::kW).f32();
  const TensorView& y = args.get(Role::kY);
  const double eps = args.real(Attr::kEps);
  const bool gate_first = args.word(Attr::kOrder) == Word::kGateFirst;
  const ActivationFn act = activation(args.word(Attr::kAct));
  const int64_t width = last_axis(x);
  for (int64_t r = 0; r < row_count(y); ++r) {
    const float* in = flat_row(x, r);
    const float* gate = flat_row(z, r);
    float* out = flat_row(y, r);
    double squares = 0.0;
    for (int64_t i = 0; i < width; ++i) {
      const double value = gate_first ? in[i] * act(gate[i]) : in[i];
      squares += value * value;
    }
    // The gate multiplies either way; the order only decides whether it counts in the norm.
    const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(width) + eps);
    for (int64_t i = 0; i < width; ++i) out[i] = static_cast<float>(in[i] * inverse * w[i] * act(gate[i]));
  }
}

bool gated_rms_norm_accepts(const NodeView& node, aprx_verdict& verdict) {
  const Word order = word_of(node, Attr::kOrder);
  if (order != Word::kNormFirst && order != Word::kGateFirst)
    return refuse_word(verdict, Attr::kOrder, order);
  const Word act = word_of(node, Attr::kAct);
  return activation(act) != nullptr || refuse_word(verdict, Attr::kAct, act);
}

}  // namespace aprx::conformance
