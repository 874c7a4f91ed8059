// y = act(x)
#include "sdk/conformance/reference/activation.h"
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void unary(const KernelArgs& args) {
  const ActivationFn act = activation(args.word(Attr::kAct));
  map(args.get(Role::kX), args.get(Role::kY), [act](float x) { return static_cast<float>(act(x)); });
}

bool unary_accepts(const NodeView& node, aprx_verdict& verdict) {
  const Word act = word_of(node, Attr::kAct);
  return activation(act) != nullptr || refuse_word(verdict, Attr::kAct, act);
}

}  // namespace aprx::conformance
