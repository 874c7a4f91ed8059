#include "plugins/cpu_simd/ops/limits.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "aprx/backend.hpp"
#include "aprx/dtype/encode.hpp"

namespace aprx::cpu {
namespace {

long long printable(int64_t value) { return value; }

int64_t last_axis(const aprx_tensor& tensor) { return tensor.shape[tensor.rank - 1]; }

bool accepts_word(const NodeView& node, Attr id, std::initializer_list<Word> words, aprx_verdict& verdict) {
  const aprx_attribute* attribute = node.attribute(id);
  const Word word = attribute == nullptr ? Word::kNone : static_cast<Word>(attribute->value.integer);
  if (std::ranges::find(words, word) != words.end()) return true;
  return refuse(verdict, APRX_ATTRIBUTE_UNSUPPORTED, Role::kNone, "%s=%s", attr_name(id).data(),
                word_name(word).data());
}

// Key/value caches are written and read head by head.
bool accepts_cache(const NodeView& node, Role role, aprx_verdict& verdict) {
  const aprx_tensor& cache = *node.find(role);
  const DTypeInfo& info = dtype_info(static_cast<DType>(cache.dtype));
  if (encoder(info.dtype) == nullptr) {
    return refuse(verdict, APRX_DTYPE_UNSUPPORTED, role, "a cache of dtype %s", info.name.data());
  }
  if (last_axis(cache) % info.block_elements == 0) return true;
  return refuse(verdict, APRX_SHAPE_UNSUPPORTED, role, "head width %lld is not a multiple of %lld",
                printable(last_axis(cache)), printable(info.block_elements));
}

}  // namespace

bool accepts_any(const NodeView& node, aprx_verdict& verdict) {
  for (const aprx_operand& operand : node.operands()) {
    const aprx_tensor& tensor = node.tensor(operand);
    if (tensor.kind != APRX_ACTIVATION) continue;
    const auto role = static_cast<Role>(operand.role);
    if (tensor.dtype != APRX_F32) {
      return refuse(verdict, APRX_DTYPE_UNSUPPORTED, role, "an activation of dtype %s",
                    dtype_name(static_cast<DType>(tensor.dtype)).data());
    }
    if (tensor.stride[tensor.rank - 1] != 1) {
      return refuse(verdict, APRX_LAYOUT_UNSUPPORTED, role, "stride of the last axis is %lld",
                    printable(tensor.stride[tensor.rank - 1]));
    }
  }
  return true;
}

bool accepts_unary(const NodeView& node, aprx_verdict& verdict) {
  return accepts_any(node, verdict) &&
         accepts_word(node, Attr::kAct,
                      {Word::kSilu, Word::kGeluTanh, Word::kGeluErf, Word::kSigmoid, Word::kSoftplus,
                       Word::kRelu2, Word::kTanh, Word::kNegExp},
                      verdict);
}

bool accepts_glu(const NodeView& node, aprx_verdict& verdict) {
  return accepts_any(node, verdict) &&
         accepts_word(node, Attr::kAct, {Word::kSilu, Word::kGeluTanh, Word::kGeluErf}, verdict);
}

bool accepts_gated_rms_norm(const NodeView& node, aprx_verdict& verdict) {
  return accepts_any(node, verdict) &&
         accepts_word(node, Attr::kAct, {Word::kSilu, Word::kSigmoid}, verdict) &&
         accepts_word(node, Attr::kOrder, {Word::kNormFirst, Word::kGateFirst}, verdict);
}

bool accepts_rope(const NodeView& node, aprx_verdict& verdict) {
  if (!accepts_any(node, verdict) ||
      !accepts_word(node, Attr::kStyle, {Word::kNeox, Word::kInterleaved}, verdict) ||
      !accepts_word(node, Attr::kScaling, {Word::kNone, Word::kLinear}, verdict)) {
    return false;
  }
  const aprx_tensor& x = *node.find(Role::kX);
  if (x.rank != 3) return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kX, "rank %u, not 3", x.rank);
  const int64_t n_rot = node.attribute(Attr::kNRot)->value.integer;
  if (n_rot > 0 && n_rot % 2 == 0 && n_rot <= last_axis(x)) return true;
  return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kX, "n_rot=%lld for a head width of %lld",
                printable(n_rot), printable(last_axis(x)));
}

bool accepts_kv_store(const NodeView& node, aprx_verdict& verdict) {
  return accepts_any(node, verdict) && accepts_cache(node, Role::kKCache, verdict) &&
         accepts_cache(node, Role::kVCache, verdict);
}

bool accepts_attention(const NodeView& node, aprx_verdict& verdict) {
  if (!accepts_kv_store(node, verdict)) return false;
  const aprx_tensor& k = *node.find(Role::kKCache);
  const aprx_tensor& v = *node.find(Role::kVCache);
  if (last_axis(k) != last_axis(v)) {
    return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kVCache, "values are %lld wide, keys %lld",
                  printable(last_axis(v)), printable(last_axis(k)));
  }
  if (node.find(Role::kQ)->shape[1] >= k.shape[1]) return true;
  return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kQ, "%lld query heads for %lld key heads",
                printable(node.find(Role::kQ)->shape[1]), printable(k.shape[1]));
}

bool accepts_causal_conv1d(const NodeView& node, aprx_verdict& verdict) {
  if (!accepts_any(node, verdict) || !accepts_word(node, Attr::kAct, {Word::kNone, Word::kSilu}, verdict)) {
    return false;
  }
  const int64_t taps = last_axis(*node.find(Role::kConv));
  return taps >= 2 || refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kConv, "%lld taps", printable(taps));
}

bool accepts_gated_delta_rule(const NodeView& node, aprx_verdict& verdict) {
  if (!accepts_any(node, verdict) ||
      !accepts_word(node, Attr::kHeadMap, {Word::kBlocked, Word::kTiled}, verdict)) {
    return false;
  }
  const int64_t key_heads = node.find(Role::kK)->shape[1];
  const int64_t value_heads = node.find(Role::kV)->shape[1];
  if (key_heads > 0 && value_heads % key_heads == 0) return true;
  return refuse(verdict, APRX_SHAPE_UNSUPPORTED, Role::kV, "%lld value heads for %lld key heads",
                printable(value_heads), printable(key_heads));
}

void check_indices(std::span<const int32_t> indices, int64_t limit, const char* what) {
  for (const int32_t index : indices) {
    if (index >= 0 && index < limit) continue;
    throw BackendError{APRX_BAD_CALL, std::string(what) + " " + std::to_string(index) +
                                          " is outside of 0 to " + std::to_string(limit - 1)};
  }
}

}  // namespace aprx::cpu
