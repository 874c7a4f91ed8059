#include "plugins/cpu_simd/embed.h"

#include <string>

#include "aprx/backend.hpp"
#include "aprx/dtype/decode.hpp"
#include "plugins/cpu_simd/matrix_view.h"

namespace aprx::cpu {
namespace {

// Before any work is dealt out: nothing may be thrown from a task.
void check_ids(const int32_t* ids, int64_t tokens, int64_t rows) {
  for (int64_t t = 0; t < tokens; ++t) {
    if (ids[t] >= 0 && ids[t] < rows) continue;
    throw BackendError{APRX_BAD_CALL, "token id " + std::to_string(ids[t]) + " is outside the table of " +
                                          std::to_string(rows) + " rows"};
  }
}

}  // namespace

void run_embed(const KernelArgs& args) {
  const TensorView& table = args.get(Role::kTable);
  const TensorView& y = args.get(Role::kY);
  const auto* ids = args.get(Role::kIds).as<const int32_t>();
  const auto scale = static_cast<float>(args.real(Attr::kScale));
  const int64_t tokens = args.get(Role::kIds).shape[0];
  const int64_t width = table.shape[1];
  const DecodeFn decode = decoder(table.dtype);
  check_ids(ids, tokens, table.shape[0]);
  args.parallel.ranges(tokens, 8, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t t = begin; t < end; ++t) {
      float* row = y.row(t);
      decode(table.packed_row(ids[t]), width, row);
      if (scale == 1.0F) continue;
      for (int64_t i = 0; i < width; ++i) row[i] *= scale;
    }
  });
}

bool accepts_embed(const NodeView& node, aprx_verdict& verdict) {
  const aprx_tensor& table = *node.find(Role::kTable);
  const aprx_tensor& ids = *node.find(Role::kIds);
  const aprx_tensor& y = *node.find(Role::kY);
  if (!accepts_weight(table, Role::kTable, verdict) || !accepts_float_rows(y, Role::kY, verdict))
    return false;
  if (ids.dtype != APRX_I32 || ids.rank != 1) {
    return refuse(verdict, APRX_DTYPE_UNSUPPORTED, Role::kIds, "ids must be a list of I32");
  }
  if (row_elements(y) != table.shape[1]) {
    return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kTable, "rows of %lld for y of %lld",
                  static_cast<long long>(table.shape[1]), static_cast<long long>(row_elements(y)));
  }
  return true;
}

}  // namespace aprx::cpu
