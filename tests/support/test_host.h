// Plugins and descriptions of the build tree, for tests that run whole models.
#pragma once

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "core/plugin/registry.h"
#include "runtime/session/model.h"

namespace aprx::test {

// One process-wide host: a pool of two threads and the plugins of the build tree.
class TestHost {
 public:
  static TestHost& instance() {
    static TestHost host;
    return host;
  }
  PluginRegistry& registry() { return registry_; }
  const DescriptionSet& descriptions() const { return descriptions_; }
  std::atomic<bool>& cancelled() { return cancelled_; }

 private:
  TestHost()
      : pool_(2),
        services_(pool_, cancelled_, "test"),
        registry_(SearchPath::only(std::vector{std::filesystem::path(APRX_BINARY_DIR) / "lib/aprx/plugins"}),
                  services_),
        descriptions_(load_descriptions()) {}

  static DescriptionSet load_descriptions() {
    auto set = DescriptionSet::load({std::filesystem::path(APRX_BINARY_DIR) / "share/aprx/models"});
    if (!set) throw std::runtime_error(set.error().text());
    return std::move(*set);
  }

  std::atomic<bool> cancelled_ = false;
  ThreadPool pool_;
  HostServices services_;
  PluginRegistry registry_;
  DescriptionSet descriptions_;
};

// A model of which everything is ready to run.
struct LoadedModel {
  std::unique_ptr<ModelFile> file;
  std::unique_ptr<Executor> executor;
};

inline LoadedModel load_model(const std::filesystem::path& path, const ModelOptions& options) {
  TestHost& host = TestHost::instance();
  auto planned = plan_model(host.registry(), host.descriptions(), path, options);
  if (!planned) FAIL(planned.error().text());
  auto executor = Executor::create(std::move(planned->route), *planned->file, {});
  if (!executor) FAIL(executor.error().text());
  return {std::move(planned->file), std::move(*executor)};
}

inline std::filesystem::path demo_model() {
  return std::filesystem::path(APRX_SOURCE_DIR) / "models/aprx-tiny-qwen35-UD-Q4_K_M.gguf";
}

}  // namespace aprx::test
