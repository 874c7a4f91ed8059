// y = x · factor
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void scale(const KernelArgs& args) {
  const auto factor = static_cast<float>(args.real(Attr::kFactor));
  map(args.get(Role::kX), args.get(Role::kY), [factor](float x) { return x * factor; });
}

}  // namespace aprx::conformance
