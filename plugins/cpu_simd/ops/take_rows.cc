#include <cstring>

#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/limits.h"

namespace aprx::cpu {

void take_rows(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& y = args.get(Role::kY);
  const auto* ids = args.get(Role::kIds).as<int32_t>();
  check_indices({ids, static_cast<size_t>(y.shape[0])}, x.shape[0], "row");
  for (int64_t r = 0; r < y.shape[0]; ++r) {
    std::memcpy(y.row(r), x.row(ids[r]), static_cast<size_t>(x.shape[1]) * sizeof(float));
  }
}

}  // namespace aprx::cpu
