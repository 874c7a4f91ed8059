// y = x · rsqrt(mean(x²) + eps) · w over the last axis. Source: Root Mean Square Layer Normalization,
// arXiv 1910.07467.
#include <cmath>

#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void rms_norm(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView* w = args.find(Role::kW);
  const TensorView& y = args.get(Role::kY);
  const double eps = args.real(Attr::kEps);
  const int64_t width = last_axis(x);
  for (int64_t r = 0; r < row_count(y); ++r) {
    const float* in = flat_row(x, r);
    float* out = flat_row(y, r);
    double squares = 0.0;
    for (int64_t i = 0; i < width; ++i) squares += static_cast<double>(in[i]) * in[i];
    const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(width) + eps);
    for (int64_t i = 0; i < width; ++i) {
      out[i] = static_cast<float>(in[i] * inverse * (w == nullptr ? 1.0 : static_cast<double>(w->f32()[i])));
    }
  }
}

}  // namespace aprx::conformance
