// What every command that touches a model needs: threads, plugins, descriptions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/plugin/host_services.h"
#include "core/plugin/registry.h"
#include "runtime/model/description_set.h"

namespace aprx::app {

struct HostOptions {
  std::vector<std::string> plugin_dirs;
  std::vector<std::string> model_dirs;
  uint32_t threads = 0;  // 0: as many as the process may use
  bool verbose = false;
};

class Host {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Host>> create(const HostOptions& options);

  [[nodiscard]] PluginRegistry& registry() { return registry_; }
  [[nodiscard]] const DescriptionSet& descriptions() const { return descriptions_; }
  [[nodiscard]] uint32_t threads() const { return threads_; }
  [[nodiscard]] ThreadPool& pool() { return pool_; }

 private:
  Host(const HostOptions& options, DescriptionSet descriptions);

  uint32_t threads_;
  ThreadPool pool_;
  HostServices services_;
  PluginRegistry registry_;
  DescriptionSet descriptions_;
};

}  // namespace aprx::app
