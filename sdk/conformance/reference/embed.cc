// y[t] = table[ids[t]] · scale
#include "aprx/dtype/decode.hpp"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void embed(const KernelArgs& args) {
  const TensorView& ids = args.get(Role::kIds);
  const TensorView& table = args.get(Role::kTable);
  const TensorView& y = args.get(Role::kY);
  const DecodeFn decode = decoder(table.dtype);
  const auto factor = static_cast<float>(args.real(Attr::kScale));
  const int64_t width = table.shape[1];
  auto* row = reinterpret_cast<float*>(args.scratch.data());
  for (int64_t t = 0; t < y.shape[0]; ++t) {
    const int32_t id = ids.as<int32_t>()[t];
    assert(id >= 0 && id < table.shape[0]);
    decode(table.packed_row(id), width, row);
    for (int64_t i = 0; i < width; ++i) y.row(t)[i] = row[i] * factor;
  }
}

bool embed_accepts(const NodeView& node, aprx_verdict& verdict) {
  return rows_are_whole_blocks(node, Role::kTable, verdict);
}

uint64_t embed_scratch(const NodeView& node, uint32_t) {
  return padded(static_cast<uint64_t>(node.find(Role::kTable)->shape[1]) * sizeof(float));
}

}  // namespace aprx::conformance
