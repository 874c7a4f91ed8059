// A backend written with the C++ wrapper whose constructor throws: the wrapper turns that into an error.
#include <stdexcept>

#include "aprx/backend.hpp"

namespace {

struct Thrower : aprx::HostBackend {
  explicit Thrower(const aprx_host* host) : HostBackend(host) {
    throw std::runtime_error("thrown by the constructor");
  }
  aprx::DeviceFacts device(uint32_t) const override { return {}; }
  std::span<const aprx::KernelRow> rows(uint32_t) const override { return {}; }
};

}  // namespace

extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
    aprx::backend_plugin<Thrower>("bad", "1.0");
