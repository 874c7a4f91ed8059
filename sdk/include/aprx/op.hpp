// The vocabulary of operators: numbers and names of operators, operand roles, attributes and
// attribute words. The numbers cross the ABI and never change; new ones are appended. What each
// operator computes is written in docs/operators.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace aprx {

enum class Op : uint32_t {
  kNone = 0,
  // primitives
  kEmbed = 1,
  kLinear = 2,
  kAdd = 3,
  kMul = 4,
  kScale = 5,
  kUnary = 6,
  kSoftcap = 7,
  kGlu = 8,
  kRmsNorm = 9,
  kL2Norm = 10,
  kGatedRmsNorm = 11,
  kRope = 12,
  kKvStore = 13,
  kAttention = 14,
  kCausalConv1d = 15,
  kDeltaGate = 16,
  kGatedDeltaRule = 17,
  kTakeRows = 18,
  // composites
  kLinearGroup = 19,
  kGatedMlp = 20,
  kSelfAttention = 21,
  kGatedAttention = 22,
  kGatedDeltaNet = 23,
  kLogits = 24,
  kMoe = 25,
  kCount = 26,
};

// What an operand is to its operator.
enum class Role : uint32_t {
  kNone = 0,
  kX = 1,
  kY = 2,
  kIds = 3,
  kTable = 4,
  kW = 5,
  kBias = 6,
  kA = 7,
  kB = 8,
  kGate = 9,
  kUp = 10,
  kDown = 11,
  kZ = 12,
  kPos = 13,
  kFactors = 14,
  kQ = 15,
  kK = 16,
  kV = 17,
  kO = 18,
  kKCache = 19,
  kVCache = 20,
  kConv = 21,
  kConvState = 22,
  kNegA = 23,
  kDtBias = 24,
  kG = 25,
  kBeta = 26,
  kDeltaState = 27,
  kNorm = 28,
  kQNorm = 29,
  kKNorm = 30,
  kQBias = 31,
  kKBias = 32,
  kVBias = 33,
  kOBias = 34,
  kQkv = 35,
  kRouter = 36,
  kGateBias = 37,
  kUpBias = 38,
  kDownBias = 39,
  kCount = 40,
};

enum class Attr : uint32_t {
  kNone = 0,
  kEps = 1,
  kScale = 2,
  kFactor = 3,
  kAct = 4,
  kGroup = 5,
  kOrder = 6,
  kStyle = 7,
  kNRot = 8,
  kBase = 9,
  kScaling = 10,
  kScalingFactor = 11,
  kWindow = 12,
  kSoftcap = 13,
  kHeads = 14,
  kKvHeads = 15,
  kHeadDim = 16,
  kKHeads = 17,
  kVHeads = 18,
  kKDim = 19,
  kVDim = 20,
  kHeadMap = 21,
  kUsed = 22,
  kScore = 23,
  kCount = 24,
};

// Values of attributes that are words.
enum class Word : uint32_t {
  kNone = 0,
  kSilu = 1,
  kGeluTanh = 2,
  kGeluErf = 3,
  kSigmoid = 4,
  kSoftplus = 5,
  kRelu2 = 6,
  kTanh = 7,
  kNegExp = 8,
  kNeox = 9,
  kInterleaved = 10,
  kLinear = 11,
  kNormFirst = 12,
  kGateFirst = 13,
  kBlocked = 14,
  kTiled = 15,
  kSoftmax = 16,
  kCount = 17,
};

inline constexpr std::string_view kOpNames[] = {
    "none",
    "embed",
    "linear",
    "add",
    "mul",
    "scale",
    "unary",
    "softcap",
    "glu",
    "rms_norm",
    "l2_norm",
    "gated_rms_norm",
    "rope",
    "kv_store",
    "attention",
    "causal_conv1d",
    "delta_gate",
    "gated_delta_rule",
    "take_rows",
    "linear_group",
    "gated_mlp",
    "self_attention",
    "gated_attention",
    "gated_delta_net",
    "logits",
    "moe",
};
inline constexpr std::string_view kRoleNames[] = {
    "none",    "x",      "y",      "ids",         "table",   "w",         "bias",       "a",
    "b",       "gate",   "up",     "down",        "z",       "pos",       "factors",    "q",
    "k",       "v",      "o",      "k_cache",     "v_cache", "conv",      "conv_state", "neg_a",
    "dt_bias", "g",      "beta",   "delta_state", "norm",    "q_norm",    "k_norm",     "q_bias",
    "k_bias",  "v_bias", "o_bias", "qkv",         "router",  "gate_bias", "up_bias",    "down_bias",
};
inline constexpr std::string_view kAttrNames[] = {
    "none",     "eps",     "scale",   "factor",         "act",    "group",    "order", "style",
    "n_rot",    "base",    "scaling", "scaling_factor", "window", "softcap",  "heads", "kv_heads",
    "head_dim", "k_heads", "v_heads", "k_dim",          "v_dim",  "head_map", "used",  "score",
};
inline constexpr std::string_view kWordNames[] = {
    "none", "silu",        "gelu_tanh", "gelu_erf",   "sigmoid",    "softplus", "relu2", "tanh",    "neg_exp",
    "neox", "interleaved", "linear",    "norm_first", "gate_first", "blocked",  "tiled", "softmax",
};
static_assert(std::size(kOpNames) == static_cast<size_t>(Op::kCount));
static_assert(std::size(kRoleNames) == static_cast<size_t>(Role::kCount));
static_assert(std::size(kAttrNames) == static_cast<size_t>(Attr::kCount));
static_assert(std::size(kWordNames) == static_cast<size_t>(Word::kCount));

// Names for printing; a number that this header doesn't know prints as "unknown".
constexpr std::string_view op_name(Op op) {
  return op < Op::kCount ? kOpNames[static_cast<uint32_t>(op)] : "unknown";
}
constexpr std::string_view role_name(Role role) {
  return role < Role::kCount ? kRoleNames[static_cast<uint32_t>(role)] : "unknown";
}
constexpr std::string_view attr_name(Attr attr) {
  return attr < Attr::kCount ? kAttrNames[static_cast<uint32_t>(attr)] : "unknown";
}
constexpr std::string_view word_name(Word word) {
  return word < Word::kCount ? kWordNames[static_cast<uint32_t>(word)] : "unknown";
}

template <typename Enum, size_t N>
constexpr std::optional<Enum> find_name(const std::string_view (&names)[N], std::string_view name) {
  for (size_t i = 1; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}
constexpr std::optional<Op> op_named(std::string_view name) { return find_name<Op>(kOpNames, name); }
constexpr std::optional<Role> role_named(std::string_view name) { return find_name<Role>(kRoleNames, name); }
constexpr std::optional<Attr> attr_named(std::string_view name) { return find_name<Attr>(kAttrNames, name); }
constexpr std::optional<Word> word_named(std::string_view name) { return find_name<Word>(kWordNames, name); }

}  // namespace aprx
