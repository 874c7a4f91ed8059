// y = a · b, b of the shape of a or of its trailing axes
#include "sdk/conformance/reference/kernels.h"
#include "sdk/conformance/reference/rows.h"

namespace aprx::conformance {

void mul(const KernelArgs& args) {
  map2(args.get(Role::kA), args.get(Role::kB), args.get(Role::kY), [](float a, float b) { return a * b; });
}

}  // namespace aprx::conformance
