// y[t,c] = act(Σⱼ conv[c,j] · x[t−W+1+j, c] + bias[c]); x before the run comes from the state, oldest first,
// which afterwards holds the last W−1 inputs of each channel.
#include "sdk/conformance/reference/activation.h"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {
namespace {

// The inputs of one channel, those of the state at negative times.
struct Channel {
  const TensorView& x;
  const float* state;
  int64_t index;
  int64_t history;  // W − 1

  [[nodiscard]] float at(int64_t t) const { return t < 0 ? state[history + t] : x.row(t)[index]; }
};

}  // namespace

void causal_conv1d(const KernelArgs& args) {
  const TensorView& x = args.get(Role::kX);
  const TensorView& conv = args.get(Role::kConv);
  const TensorView* bias = args.find(Role::kBias);
  const TensorView& state = args.get(Role::kConvState);
  const TensorView& y = args.get(Role::kY);
  const ActivationFn act = activation(args.word(Attr::kAct));
  const int64_t tokens = x.shape[0];
  const int64_t history = conv.shape[1] - 1;
  for (int64_t c = 0; c < x.shape[1]; ++c) {
    float* own_state = state.f32() + c * history;
    const float* taps = conv.f32() + c * conv.shape[1];
    const Channel channel{x, own_state, c, history};
    for (int64_t t = 0; t < tokens; ++t) {
      double sum = bias == nullptr ? 0.0 : static_cast<double>(bias->f32()[c]);
      for (int64_t j = 0; j <= history; ++j)
        sum += static_cast<double>(taps[j]) * channel.at(t - history + j);
      y.row(t)[c] = static_cast<float>(act == nullptr ? sum : act(sum));
    }
    // Ascending order reads each entry of the state before it is replaced.
    for (int64_t j = 0; j < history; ++j) own_state[j] = channel.at(tokens - history + j);
  }
}

bool causal_conv1d_accepts(const NodeView& node, aprx_verdict& verdict) {
  const Word act = word_of(node, Attr::kAct);
  return act == Word::kNone || act == Word::kSilu || refuse_word(verdict, Attr::kAct, act);
}

}  // namespace aprx::conformance
