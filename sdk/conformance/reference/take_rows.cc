// y[r] = x[ids[r]]
#include <algorithm>

#include "sdk/conformance/reference/kernels.h"

namespace aprx::conformance {

void take_rows(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& y = args.get(Role::kY);
  const auto* ids = args.get(Role::kIds).as<int32_t>();
  for (int64_t r = 0; r < y.shape[0]; ++r) {
    assert(ids[r] >= 0 && ids[r] < x.shape[0]);
    std::copy_n(x.row(ids[r]), x.shape[1], y.row(r));
  }
}

}  // namespace aprx::conformance
