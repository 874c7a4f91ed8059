// A plugin that passed the handshake and was opened. Closed, then unloaded, when it dies.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/plugin/handshake.h"
#include "core/plugin/library.h"

namespace aprx {

// A file that is a plugin by its name: aprx_backend_NAME.so or aprx_format_NAME.so.
struct PluginFile {
  std::filesystem::path path;  // absolute
  PluginKind kind;
  std::string name;
};

class LoadedPlugin {
 public:
  // Loads `file` and shakes hands. Nothing of the plugin has been called yet. Errors: kPlugin, with
  // the file; `abi` is what the library said, as far as it got.
  struct Attempt {
    AbiVersion abi;
    Result<std::unique_ptr<LoadedPlugin>> plugin;
  };
  static Attempt load(const PluginFile& file);
  ~LoadedPlugin();
  LoadedPlugin(const LoadedPlugin&) = delete;
  LoadedPlugin& operator=(const LoadedPlugin&) = delete;

  // Opens the plugin with `host`, which must outlive it. Call once.
  Result<void> open(const aprx_host* host);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string name() const { return plugin_.name; }
  [[nodiscard]] std::string version() const { return plugin_.version; }
  [[nodiscard]] void* self() const { return self_; }
  // The table of the plugin's kind, as the plugin gave it.
  [[nodiscard]] const void* table() const { return table_; }

 private:
  LoadedPlugin(std::string path, std::unique_ptr<PluginLibrary> library, const aprx_plugin& plugin);

  std::string path_;
  std::unique_ptr<PluginLibrary> library_;
  aprx_plugin plugin_;
  bool is_open_ = false;
  void* self_ = nullptr;
  const void* table_ = nullptr;
};

}  // namespace aprx
