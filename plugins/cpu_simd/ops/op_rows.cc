#include "plugins/cpu_simd/ops/kernels.h"
#include "plugins/cpu_simd/ops/limits.h"

namespace aprx::cpu {
namespace {

constexpr KernelRow of_cache(KernelRow row, DType dtype) {
  row.typed = Role::kKCache;
  row.dtype = dtype;
  return row;
}

constexpr KernelRow kKvStore = {
    .op = Op::kKvStore, .name = "kv_store", .run = kv_store, .accepts = accepts_kv_store};
constexpr KernelRow kAttention = {.op = Op::kAttention,
                                  .name = "attention",
                                  .run = attention,
                                  .accepts = accepts_attention,
                                  .scratch_bytes = attention_scratch};

constexpr KernelRow kRows[] = {
    {.op = Op::kAdd, .name = "add", .run = add, .accepts = accepts_any},
    {.op = Op::kMul, .name = "mul", .run = mul, .accepts = accepts_any},
    {.op = Op::kScale, .name = "scale", .run = scale, .accepts = accepts_any},
    {.op = Op::kUnary, .name = "unary", .run = unary, .accepts = accepts_unary},
    {.op = Op::kSoftcap, .name = "softcap", .run = softcap, .accepts = accepts_any},
    {.op = Op::kGlu, .name = "glu", .run = glu, .accepts = accepts_glu},
    {.op = Op::kRmsNorm, .name = "rms_norm", .run = rms_norm, .accepts = accepts_any},
    {.op = Op::kL2Norm, .name = "l2_norm", .run = l2_norm, .accepts = accepts_any},
    {.op = Op::kGatedRmsNorm,
     .name = "gated_rms_norm",
     .run = gated_rms_norm,
     .accepts = accepts_gated_rms_norm},
    {.op = Op::kRope, .name = "rope", .run = rope, .accepts = accepts_rope, .scratch_bytes = rope_scratch},
    of_cache(kKvStore, DType::kF32),
    of_cache(kKvStore, DType::kF16),
    of_cache(kKvStore, DType::kBF16),
    of_cache(kKvStore, DType::kQ8_0),
    of_cache(kAttention, DType::kF32),
    of_cache(kAttention, DType::kF16),
    of_cache(kAttention, DType::kBF16),
    of_cache(kAttention, DType::kQ8_0),
    {.op = Op::kCausalConv1d,
     .name = "causal_conv1d",
     .run = causal_conv1d,
     .accepts = accepts_causal_conv1d,
     .scratch_bytes = causal_conv1d_scratch},
    {.op = Op::kDeltaGate, .name = "delta_gate", .run = delta_gate, .accepts = accepts_any},
    {.op = Op::kGatedDeltaRule,
     .name = "gated_delta_rule",
     .run = gated_delta_rule,
     .accepts = accepts_gated_delta_rule},
    {.op = Op::kTakeRows, .name = "take_rows", .run = take_rows, .accepts = accepts_any},
};

}  // namespace

std::span<const KernelRow> op_rows() { return kRows; }

}  // namespace aprx::cpu
