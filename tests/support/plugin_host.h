// A plugin host for tests: what the program sets up, without the program.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/plugin/host_services.h"
#include "core/plugin/registry.h"

namespace aprx::test {

// Where the build puts the plugins.
inline std::filesystem::path plugin_dir() {
  return std::filesystem::path(APRX_BINARY_DIR) / "lib" / "aprx" / "plugins";
}

// Plugins of the given directories and no others.
class PluginHost {
 public:
  explicit PluginHost(const std::vector<std::filesystem::path>& directories = {plugin_dir()},
                      uint32_t threads = 1)
      : pool_(threads),
        services_(pool_, cancelled, "test"),
        registry_(SearchPath::only(directories), services_) {}

  [[nodiscard]] PluginRegistry& registry() { return registry_; }

  std::atomic<bool> cancelled = false;

 private:
  ThreadPool pool_;
  HostServices services_;
  PluginRegistry registry_;
};

}  // namespace aprx::test
