// kv_store: the codecs of the SDK, so that a cache holds the same bits whichever target wrote it.
#include "aprx/dtype/encode.hpp"
#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/limits.h"
#include "plugins/cpu_simd/ops/rows.h"

namespace aprx::cpu {
namespace {

void store_token(const TensorView& values, int64_t t, int64_t position, const TensorView& cache) {
  const EncodeFn encode = encoder(cache.dtype);
  const int64_t heads = cache.shape[1];
  const int64_t head_bytes = row_bytes(cache.dtype, cache.shape[2]);
  uint8_t* to = cache.as<uint8_t>() + position * heads * head_bytes;
  for (int64_t h = 0; h < heads; ++h) {
    encode(values.row(t) + h * values.stride[1], cache.shape[2], to + h * head_bytes);
  }
}

}  // namespace

void kv_store(const KernelArgs& args) {
  const TensorView& k = args.get(Role::kK);
  const TensorView& k_cache = args.get(Role::kKCache);
  const TensorView& v_cache = args.get(Role::kVCache);
  const auto* positions = args.get(Role::kPos).as<int32_t>();
  check_indices({positions, static_cast<size_t>(k.shape[0])}, k_cache.shape[0], "position");
  const int64_t grain = std::max<int64_t>(1, kGrainElements / (2 * k.shape[1] * k.shape[2]));
  args.parallel.ranges(k.shape[0], grain, [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t t = begin; t < end; ++t) {
      store_token(k, t, positions[t], k_cache);
      store_token(args.get(Role::kV), t, positions[t], v_cache);
    }
  });
}

}  // namespace aprx::cpu
