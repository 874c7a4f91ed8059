// Backend "cuda": finds NVIDIA devices and says what they are. Its kernel table is still empty, so the
// planner refuses every operator here by name and no work is placed on these devices.
#include <mutex>

#include "aprx/backend.hpp"
#include "plugins/cuda/device_probe.h"

namespace aprx::cuda {
namespace {

class CudaBackend : public HostBackend {
 public:
  using HostBackend::HostBackend;

  [[nodiscard]] Availability availability() const override { return found().availability; }
  [[nodiscard]] uint32_t device_count() const override {
    return static_cast<uint32_t>(found().devices.size());
  }
  [[nodiscard]] DeviceFacts device(uint32_t index) const override {
    const Device& device = found().devices.at(index);
    return {.id = device.id,
            .name = device.name,
            .target = device.target,
            .flags = 0,
            .bytes_per_second = device.bytes_per_second,
            .flops_per_second = 0};
  }
  [[nodiscard]] std::span<const KernelRow> rows(uint32_t) const override { return {}; }
  [[nodiscard]] aprx_memory_info memory(uint32_t index) const override { return device_memory(index); }

 private:
  // The driver is asked once, when somebody first wants to know: loading the plugin alone must not wake it.
  const DeviceProbe& found() const {
    std::call_once(probed_, [this] { probe_ = probe_devices(); });
    return probe_;
  }

  mutable std::once_flag probed_;
  mutable DeviceProbe probe_;
};

}  // namespace
}  // namespace aprx::cuda

extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
    aprx::backend_plugin<aprx::cuda::CudaBackend>("cuda", "0.1.0");
