// k_cache[pos[t]] = k[t], v_cache[pos[t]] = v[t], converted to the cache's dtype
#include "aprx/dtype/encode.hpp"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {
namespace {

void store(const TensorView& values, const int32_t* positions, const TensorView& cache) {
  const EncodeFn encode = encoder(cache.dtype);
  const int64_t heads = cache.shape[1];
  const int64_t width = cache.shape[2];
  const int64_t head_bytes = row_bytes(cache.dtype, width);
  for (int64_t r = 0; r < row_count(values); ++r) {
    const int64_t position = positions[r / heads];
    assert(position >= 0 && position < cache.shape[0]);
    const int64_t row = position * heads + r % heads;
    encode(flat_row(values, r), width, cache.as<uint8_t>() + row * head_bytes);
  }
}

}  // namespace

void kv_store(const KernelArgs& args) {
  const auto* positions = args.get(Role::kPos).as<int32_t>();
  store(args.get(Role::kK), positions, args.get(Role::kKCache));
  store(args.get(Role::kV), positions, args.get(Role::kVCache));
}

bool kv_store_accepts(const NodeView& node, aprx_verdict& verdict) {
  return rows_are_whole_blocks(node, Role::kKCache, verdict) &&
         rows_are_whole_blocks(node, Role::kVCache, verdict);
}

}  // namespace aprx::conformance
