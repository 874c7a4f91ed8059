// y = act(gate) · up
#include "sdk/conformance/reference/activation.h"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void glu(const KernelArgs& args) {
  const ActivationFn act = activation(args.word(Attr::kAct));
  map2(args.get(Role::kGate), args.get(Role::kUp), args.get(Role::kY),
       [act](float gate, float up) { return static_cast<float>(act(gate) * static_cast<double>(up)); });
}

bool glu_accepts(const NodeView& node, aprx_verdict& verdict) {
  const Word act = word_of(node, Attr::kAct);
  if (act == Word::kSilu || act == Word::kGeluTanh || act == Word::kGeluErf) return true;
  return refuse_word(verdict, Attr::kAct, act);
}

}  // namespace aprx::conformance
