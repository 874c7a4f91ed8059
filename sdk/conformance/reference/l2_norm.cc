// y = x · rsqrt(Σx² + eps) over the last axis: one head at a time
#include <cmath>

#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void l2_norm(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& y = args.get(Role::kY);
  const double eps = args.real(Attr::kEps);
  for (int64_t r = 0; r < row_count(y); ++r) {
    const float* in = flat_row(x, r);
    float* out = flat_row(y, r);
    double squares = 0.0;
    for (int64_t i = 0; i < last_axis(x); ++i) squares += static_cast<double>(in[i]) * in[i];
    const double inverse = 1.0 / std::sqrt(squares + eps);
    for (int64_t i = 0; i < last_axis(x); ++i) out[i] = static_cast<float>(in[i] * inverse);
  }
}

}  // namespace aprx::conformance
