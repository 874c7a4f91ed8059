#include "core/plugin/library.h"

#include <dlfcn.h>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <string>
#include <system_error>

namespace aprx {

struct PluginLibrary::Handle {
  boost::dll::shared_library library;
};

namespace {

Error library_error(const std::filesystem::path& path, std::string found) {
  return {.code = ErrorCode::kPlugin, .file = path.string(), .found = std::move(found)};
}

}  // namespace

PluginLibrary::PluginLibrary(std::unique_ptr<Handle> handle, const aprx_plugin* exported)
    : handle_(std::move(handle)), exported_(exported) {}

PluginLibrary::~PluginLibrary() = default;

Result<std::unique_ptr<PluginLibrary>> PluginLibrary::load(const std::filesystem::path& path) {
  auto handle = std::make_unique<Handle>();
  std::error_code failed;
  handle->library.load(path, failed, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  if (failed) {
    // The code says "bad file descriptor" whatever happened; the loader's text is what helps.
    const char* words = ::dlerror();
    return library_error(path,
                         "can't be loaded: " + (words == nullptr ? failed.message() : std::string(words)));
  }
  if (!handle->library.has(APRX_PLUGIN_SYMBOL)) {
    return library_error(path, "exports no symbol " APRX_PLUGIN_SYMBOL ", so it is not an aprx plugin");
  }
  const aprx_plugin* exported = &handle->library.get<const aprx_plugin>(APRX_PLUGIN_SYMBOL);
  return std::unique_ptr<PluginLibrary>(new PluginLibrary(std::move(handle), exported));
}

}  // namespace aprx
