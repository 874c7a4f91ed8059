// A plugin's shared library. The only file that knows Boost.DLL.
#pragma once

#include <filesystem>
#include <memory>

#include "aprx/abi.h"
#include "core/base/result.h"

namespace aprx {

class PluginLibrary {
 public:
  // Loads the library at `path`, which must be absolute, with all symbols bound and none shared.
  // Errors carry the system loader's own words. No function of the plugin is called, though loading
  // runs the library's static constructors.
  static Result<std::unique_ptr<PluginLibrary>> load(const std::filesystem::path& path);
  ~PluginLibrary();
  PluginLibrary(const PluginLibrary&) = delete;
  PluginLibrary& operator=(const PluginLibrary&) = delete;

  // What it exports; lives as long as the library. May be shorter than the struct.
  [[nodiscard]] const aprx_plugin& exported() const { return *exported_; }

 private:
  struct Handle;
  explicit PluginLibrary(std::unique_ptr<Handle> handle, const aprx_plugin* exported);

  std::unique_ptr<Handle> handle_;
  const aprx_plugin* exported_;
};

}  // namespace aprx
