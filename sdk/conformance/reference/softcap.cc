// y = factor · tanh(x / factor)
#include <cmath>

#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void softcap(const KernelArgs& args) {
  const double factor = args.real(Attr::kFactor);
  map(args.get(Role::kX), args.get(Role::kY),
      [factor](float x) { return static_cast<float>(factor * std::tanh(static_cast<double>(x) / factor)); });
}

}  // namespace aprx::conformance
