// Opens files of the test pack through the format plugin of the build tree.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/plugin/host_services.h"
#include "core/plugin/registry.h"

namespace aprx::test {

class FileSource {
 public:
  [[nodiscard]] Result<std::unique_ptr<ModelFile>> open(const std::filesystem::path& path) {
    return registry_.open_model(path);
  }

 private:
  static SearchPath plugins() {
    const std::vector<std::filesystem::path> folders = {std::filesystem::path(APRX_BINARY_DIR) /
                                                        "lib/aprx/plugins"};
    return SearchPath::only(folders);
  }

  std::atomic<bool> cancelled_ = false;
  ThreadPool pool_{1};
  HostServices host_{pool_, cancelled_, "test"};
  PluginRegistry registry_{plugins(), host_};
};

}  // namespace aprx::test
