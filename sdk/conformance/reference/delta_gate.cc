// g = neg_a · softplus(a + dt_bias), a log decay that is never positive; β = sigmoid(b)
#include "sdk/conformance/reference/activation.h"
#include "sdk/conformance/reference/kernels.h"

namespace aprx::conformance {

void delta_gate(const KernelArgs& args) {
  const TensorView& a = args.get(Role::kA);
  const TensorView& b = args.get(Role::kB);
  const float* dt_bias = args.get(Role::kDtBias).f32();
  const float* neg_a = args.get(Role::kNegA).f32();
  const TensorView& g = args.get(Role::kG);
  const TensorView& beta = args.get(Role::kBeta);
  for (int64_t t = 0; t < a.shape[0]; ++t) {
    for (int64_t h = 0; h < a.shape[1]; ++h) {
      const double step = softplus(static_cast<double>(a.row(t)[h]) + dt_bias[h]);
      g.row(t)[h] = static_cast<float>(neg_a[h] * step);
      beta.row(t)[h] = static_cast<float>(sigmoid(b.row(t)[h]));
    }
  }
}

}  // namespace aprx::conformance
