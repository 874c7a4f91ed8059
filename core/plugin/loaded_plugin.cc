#include "core/plugin/loaded_plugin.h"

#include "core/plugin/plugin_call.h"

namespace aprx {

LoadedPlugin::LoadedPlugin(std::string path, std::unique_ptr<PluginLibrary> library,
                           const aprx_plugin& plugin)
    : path_(std::move(path)), library_(std::move(library)), plugin_(plugin) {}

LoadedPlugin::~LoadedPlugin() {
  if (!is_open_) return;
  aprx_error error = empty_plugin_error();
  // There is nobody left to tell if closing fails.
  static_cast<void>(call_plugin(error, [&] {
    plugin_.close(self_);
    return APRX_OK;
  }));
}

LoadedPlugin::Attempt LoadedPlugin::load(const PluginFile& file) {
  auto library = PluginLibrary::load(file.path);
  if (!library) return {{}, library.error()};
  const aprx_plugin& exported = (*library)->exported();
  auto plugin = read_plugin(exported, file.kind, file.name);
  if (!plugin) {
    plugin.error().file = file.path.string();
    return {abi_of(exported), plugin.error()};
  }
  return {abi_of(exported), std::unique_ptr<LoadedPlugin>(
                                new LoadedPlugin(file.path.string(), std::move(library).value(), *plugin))};
}

Result<void> LoadedPlugin::open(const aprx_host* host) {
  aprx_error error = empty_plugin_error();
  const aprx_status status = call_plugin(error, [&] { return plugin_.open(host, &self_, &table_, &error); });
  if (status == APRX_OK) {
    is_open_ = true;
    return {};
  }
  Error out = error_from_plugin(ErrorCode::kPlugin, status, error);
  out.file = path_;
  out.found = "can't be opened: " + out.found;
  return out;
}

}  // namespace aprx
