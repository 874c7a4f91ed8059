// Rotates the first n_rot of the d values of each head; the rest passes through.
//   pairs   neox (i, i + n_rot/2)    interleaved (2i, 2i + 1)
//   angle   pos · base^(−2i/n_rot) / factors[i], pos divided by scaling_factor where the scaling is linear
// Angles are formed in F64. Source: RoFormer, arXiv 2104.09864.
#include <cmath>

#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {
namespace {

struct Rotation {
  int64_t pairs;
  bool neox;
  double base;
  double divisor;
  const float* factors;  // or nullptr

  [[nodiscard]] double angle(int32_t position, int64_t pair) const {
    const double exponent = -static_cast<double>(pair) / static_cast<double>(pairs);
    const double factor = factors == nullptr ? 1.0 : static_cast<double>(factors[pair]);
    return position / divisor * std::pow(base, exponent) / factor;
  }
};

void rotate(const Rotation& rotation, int32_t position, const float* in, float* out) {
  for (int64_t pair = 0; pair < rotation.pairs; ++pair) {
    const int64_t first = rotation.neox ? pair : 2 * pair;
    const int64_t second = rotation.neox ? pair + rotation.pairs : 2 * pair + 1;
    const double angle = rotation.angle(position, pair);
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    const double a = in[first];
    const double b = in[second];
    out[first] = static_cast<float>(a * cosine - b * sine);
    out[second] = static_cast<float>(a * sine + b * cosine);
  }
}

}  // namespace

void rope(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& y = args.get(Role::kY);
  const auto* positions = args.get(Role::kPos).as<int32_t>();
  const TensorView* factors = args.find(Role::kFactors);
  const bool linear_scaling = args.word(Attr::kScaling) == Word::kLinear;
  const int64_t n_rot = args.integer(Attr::kNRot);
  const Rotation rotation{.pairs = n_rot / 2,
                          .neox = args.word(Attr::kStyle) == Word::kNeox,
                          .base = args.real(Attr::kBase),
                          .divisor = linear_scaling ? args.real(Attr::kScalingFactor) : 1.0,
                          .factors = factors == nullptr ? nullptr : factors->f32()};
  const int64_t heads = x.shape[1];
  for (int64_t r = 0; r < row_count(y); ++r) {
    const float* in = flat_row(x, r);
    float* out = flat_row(y, r);
    rotate(rotation, positions[r / heads], in, out);
    for (int64_t i = n_rot; i < last_axis(x); ++i) out[i] = in[i];
  }
}

bool rope_accepts(const NodeView& node, aprx_verdict& verdict) {
  const Word style = word_of(node, Attr::kStyle);
  if (style != Word::kNeox && style != Word::kInterleaved) return refuse_word(verdict, Attr::kStyle, style);
  const Word scaling = word_of(node, Attr::kScaling);
  if (scaling != Word::kNone && scaling != Word::kLinear)
    return refuse_word(verdict, Attr::kScaling, scaling);
  const aprx_tensor& x = *node.find(Role::kX);
  const aprx_attribute* n_rot = node.attribute(Attr::kNRot);
  const int64_t rotated = n_rot == nullptr ? 0 : n_rot->value.integer;
  const int64_t width = x.shape[x.rank - 1];
  if (rotated >= 0 && rotated % 2 == 0 && rotated <= width) return true;
  return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kX, "n_rot=%lld of a head of %lld",
                static_cast<long long>(rotated), static_cast<long long>(width));
}

}  // namespace aprx::conformance
