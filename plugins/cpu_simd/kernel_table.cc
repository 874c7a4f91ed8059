#include "plugins/cpu_simd/kernel_table.h"

#include "plugins/cpu_simd/linear.h"
#include "plugins/cpu_simd/ops/kernels.h"

namespace aprx::cpu {

std::vector<KernelRow> kernel_table() {
  std::vector<KernelRow> rows;
  for (const std::span<const KernelRow> part : {linear_rows(), op_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace aprx::cpu
