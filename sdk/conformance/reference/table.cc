#include <array>

#include "aprx/conformance/reference.hpp"
#include "aprx/dtype/decode.hpp"
#include "sdk/conformance/reference/kernels.h"

namespace aprx::conformance {
namespace {

constexpr KernelRow kUntyped[] = {
    {.op = Op::kAdd, .name = "add", .run = add},
    {.op = Op::kMul, .name = "mul", .run = mul},
    {.op = Op::kScale, .name = "scale", .run = scale},
    {.op = Op::kUnary, .name = "unary", .run = unary, .accepts = unary_accepts},
    {.op = Op::kSoftcap, .name = "softcap", .run = softcap},
    {.op = Op::kGlu, .name = "glu", .run = glu, .accepts = glu_accepts},
    {.op = Op::kRmsNorm, .name = "rms_norm", .run = rms_norm},
    {.op = Op::kL2Norm, .name = "l2_norm", .run = l2_norm},
    {.op = Op::kGatedRmsNorm,
     .name = "gated_rms_norm",
     .run = gated_rms_norm,
     .accepts = gated_rms_norm_accepts},
    {.op = Op::kRope, .name = "rope", .run = rope, .accepts = rope_accepts},
    {.op = Op::kCausalConv1d,
     .name = "causal_conv1d",
     .run = causal_conv1d,
     .accepts = causal_conv1d_accepts},
    {.op = Op::kDeltaGate, .name = "delta_gate", .run = delta_gate},
    {.op = Op::kGatedDeltaRule,
     .name = "gated_delta_rule",
     .run = gated_delta_rule,
     .accepts = gated_delta_rule_accepts,
     .scratch_bytes = gated_delta_rule_scratch},
    {.op = Op::kTakeRows, .name = "take_rows", .run = take_rows},
};
constexpr DType kCacheDTypes[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kQ8_0};

constexpr size_t kRowCount =
    std::size(kUntyped) + 2 * std::size(codec::kCodecs) + 2 * std::size(kCacheDTypes);

constexpr std::array<KernelRow, kRowCount> make_rows() {
  std::array<KernelRow, kRowCount> rows{};
  size_t at = 0;
  for (const codec::Codec& codec : codec::kCodecs) {
    rows[at++] = {.op = Op::kEmbed,
                  .typed = Role::kTable,
                  .dtype = codec.dtype,
                  .name = "embed",
                  .run = embed,
                  .accepts = embed_accepts,
                  .scratch_bytes = embed_scratch};
  }
  for (const codec::Codec& codec : codec::kCodecs) {
    rows[at++] = {.op = Op::kLinear,
                  .typed = Role::kW,
                  .dtype = codec.dtype,
                  .name = "linear",
                  .run = linear,
                  .accepts = linear_accepts,
                  .scratch_bytes = linear_scratch};
  }
  for (const DType dtype : kCacheDTypes) {
    rows[at++] = {.op = Op::kKvStore,
                  .typed = Role::kKCache,
                  .dtype = dtype,
                  .name = "kv_store",
                  .run = kv_store,
                  .accepts = kv_store_accepts};
  }
  for (const DType dtype : kCacheDTypes) {
    rows[at++] = {.op = Op::kAttention,
                  .typed = Role::kKCache,
                  .dtype = dtype,
                  .name = "attention",
                  .run = attention,
                  .accepts = attention_accepts,
                  .scratch_bytes = attention_scratch};
  }
  for (const KernelRow& row : kUntyped) rows[at++] = row;
  return rows;
}

constexpr std::array<KernelRow, kRowCount> kRows = make_rows();

}  // namespace

std::span<const KernelRow> reference_rows() { return kRows; }

}  // namespace aprx::conformance
