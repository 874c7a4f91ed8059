// Backend "reference": the scalar operators that kernels are measured against, as a device. It runs every
// model slowly and exactly; `auto` never picks it.
#include "aprx/backend.hpp"
#include "aprx/conformance/reference.hpp"

namespace aprx {
namespace {

class ReferenceBackend : public HostBackend {
 public:
  using HostBackend::HostBackend;

  [[nodiscard]] DeviceFacts device(uint32_t) const override {
    return {.id = "reference",
            .name = "scalar reference",
            .target = "scalar F64",
            .flags = APRX_DEVICE_YARDSTICK | APRX_DEVICE_HOST_MEMORY};
  }
  [[nodiscard]] std::span<const KernelRow> rows(uint32_t) const override {
    return conformance::reference_rows();
  }
};

}  // namespace
}  // namespace aprx

extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
    aprx::backend_plugin<aprx::ReferenceBackend>("reference", "0.1.0");
