// y = x wᵀ + bias
#include "aprx/dtype/decode.hpp"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {
namespace {

double dot(const float* a, const float* b, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

void linear(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& w = args.get(Role::kW);
  const TensorView* bias = args.find(Role::kBias);
  const TensorView& y = args.get(Role::kY);
  const DecodeFn decode = decoder(w.dtype);
  const int64_t inputs = w.shape[1];
  const uint64_t row_stride = padded(static_cast<uint64_t>(inputs) * sizeof(float));
  // A row of w is decoded once and used for every token.
  args.parallel.ranges(w.shape[0], 8, [&](int64_t begin, int64_t end, uint32_t worker) {
    auto* row = reinterpret_cast<float*>(args.scratch.data() + worker * row_stride);
    for (int64_t n = begin; n < end; ++n) {
      decode(w.packed_row(n), inputs, row);
      const double offset = bias == nullptr ? 0.0 : static_cast<double>(bias->f32()[n]);
      for (int64_t t = 0; t < y.shape[0]; ++t)
        y.row(t)[n] = static_cast<float>(dot(x.row(t), row, inputs) + offset);
    }
  });
}

bool linear_accepts(const NodeView& node, aprx_verdict& verdict) {
  return rows_are_whole_blocks(node, Role::kW, verdict);
}

uint64_t linear_scratch(const NodeView& node, uint32_t workers) {
  return workers * padded(static_cast<uint64_t>(node.find(Role::kW)->shape[1]) * sizeof(float));
}

}  // namespace aprx::conformance
