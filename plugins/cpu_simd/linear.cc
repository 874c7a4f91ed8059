#include "plugins/cpu_simd/linear.h"

#include <array>

#include "plugins/cpu_simd/embed.h"
#include "plugins/cpu_simd/matrix_view.h"
#include "plugins/cpu_simd/multiply.h"

namespace aprx::cpu {
namespace {

constexpr size_t kMostWeights = 16;  // of a group

Product product_of(const TensorView& w, const TensorView& y, const TensorView* bias) {
  const int64_t k = w.shape[1];
  return {.format = weight_format(w.dtype),
          .w = {reinterpret_cast<const uint8_t*>(w.data), row_bytes(w.dtype, k), k},
          .rows = w.shape[0],
          .out = {y.f32(), y.stride[0]},
          .bias = bias == nullptr ? nullptr : bias->f32()};
}

void run_linear(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  std::array<Product, kMostWeights> products;
  const size_t count = args.count(Role::kW);
  for (size_t i = 0; i < count; ++i) {
    products[i] = product_of(args.get(Role::kW, i), args.get(Role::kY, i), args.find(Role::kBias, i));
  }
  multiply({products.data(), count}, {x.f32(), x.stride[0], x.shape[0]}, args.scratch, args.parallel);
}

// Each weight with its output; the first operand at fault is named.
bool accepts_linear(const NodeView& node, aprx_verdict& verdict) {
  const aprx_tensor* x = node.find(Role::kX);
  if (!accepts_float_rows(*x, Role::kX, verdict)) return false;
  size_t count = 0;
  while (const aprx_tensor* w = node.find(Role::kW, count)) {
    const aprx_tensor* y = node.find(Role::kY, count++);
    if (count > kMostWeights) {
      return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kW, "more than %zu weights", kMostWeights);
    }
    if (decoder(static_cast<DType>(w->dtype)) == nullptr) {
      return refuse(verdict, APRX_DTYPE_UNSUPPORTED, Role::kW, "weight %zu of the group is %s", count,
                    dtype_name(static_cast<DType>(w->dtype)).data());
    }
    if (!accepts_weight(*w, Role::kW, verdict) || !accepts_float_rows(*y, Role::kY, verdict)) return false;
    if (w->shape[1] != row_elements(*x) || w->shape[0] != row_elements(*y)) {
      return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kW, "%lld x %lld for x of %lld and y of %lld",
                    static_cast<long long>(w->shape[0]), static_cast<long long>(w->shape[1]),
                    static_cast<long long>(row_elements(*x)), static_cast<long long>(row_elements(*y)));
    }
  }
  const aprx_tensor* bias = node.find(Role::kBias);
  if (bias != nullptr && bias->kind != APRX_VECTOR && bias->dtype != APRX_F32) {
    return refuse(verdict, APRX_DTYPE_UNSUPPORTED, Role::kBias, "not a vector and not F32");
  }
  return true;
}

uint64_t scratch_of_linear(const NodeView& node, uint32_t workers) {
  const aprx_tensor& x = *node.find(Role::kX);
  std::array<WeightFormat, kMostWeights> formats;
  size_t count = 0;
  while (const aprx_tensor* w = node.find(Role::kW, count)) {
    formats[count++] = weight_format(static_cast<DType>(w->dtype));
  }
  return multiply_scratch_bytes({formats.data(), count}, most_rows(node, x), row_elements(x), workers);
}

constexpr size_t kDecodable = std::size(codec::kCodecs);

// One row of `linear` and one of `embed` a dtype, and one of `linear_group` for any mixture.
constexpr std::array<KernelRow, 2 * kDecodable + 1> kernel_rows() {
  std::array<KernelRow, 2 * kDecodable + 1> rows;
  size_t count = 0;
  for (const codec::Codec& codec : codec::kCodecs) {
    rows[count++] = {Op::kLinear, Role::kW,       codec.dtype,      weight_format(codec.dtype).name,
                     run_linear,  accepts_linear, scratch_of_linear};
    rows[count++] = {Op::kEmbed, Role::kTable, codec.dtype, "row-decode", run_embed, accepts_embed, nullptr};
  }
  rows[count] = {Op::kLinearGroup, Role::kNone,    DType::kUnknown,  "shared-activations",
                 run_linear,       accepts_linear, scratch_of_linear};
  return rows;
}

constexpr std::array<KernelRow, 2 * kDecodable + 1> kRows = kernel_rows();

}  // namespace

std::span<const KernelRow> linear_rows() { return kRows; }

}  // namespace aprx::cpu
