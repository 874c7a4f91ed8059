// All plugins that the search path offers. Opens none before it is needed: asking for one backend
// touches no other backend's file.
//
// Of several files with one name the first in search order that can be used counts; later ones are
// shadowed. A file that can't be used is remembered with its reason and never stops another one.
// For one thread at a time. Must outlive all backends, devices and model files that came from it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/plugin/backend.h"
#include "core/plugin/format.h"
#include "core/plugin/host_services.h"
#include "core/plugin/model_file.h"
#include "core/plugin/search_path.h"

namespace aprx {

// A file that is a plugin by its name.
struct PluginCandidate {
  std::filesystem::path path;
  PluginKind kind{};
  std::string name;     // by the file's name
  std::string version;  // empty if it isn't known
  AbiVersion abi;       // 0.0 if it isn't known
  bool is_usable = false;
  std::string why_not;  // printable; empty if it is usable
};

class PluginRegistry {
 public:
  // Reads the directories, not the plugins. `host` must outlive the registry.
  PluginRegistry(SearchPath search_path, const HostServices& host);
  ~PluginRegistry();
  PluginRegistry(const PluginRegistry&) = delete;
  PluginRegistry& operator=(const PluginRegistry&) = delete;

  [[nodiscard]] const SearchPath& search_path() const { return search_path_; }

  // Names of all backends that files claim to be, in search order, each once.
  [[nodiscard]] std::vector<std::string> backend_names() const;

  // The backend called `name`, opened now or before. kCapability if no usable plugin offers it; the
  // error says why, and which backends there are.
  [[nodiscard]] Result<Backend*> backend(std::string_view name);

  // The model at `path`, read by the format plugin that is surest about it. Errors: kBadFile, and
  // kPlugin if there is no usable format plugin.
  [[nodiscard]] Result<std::unique_ptr<ModelFile>> open_model(const std::filesystem::path& path);

  // Every file found, in search order. Opens all that aren't shadowed.
  [[nodiscard]] std::vector<PluginCandidate> candidates();

 private:
  struct Entry;

  void scan(const SearchPlace& place);
  void load(Entry& entry);
  [[nodiscard]] Result<void> try_to_load(Entry& entry);
  [[nodiscard]] Entry* first_usable(PluginKind kind, std::string_view name);
  [[nodiscard]] std::vector<const Format*> formats();
  [[nodiscard]] std::vector<std::string> names_of(PluginKind kind) const;
  [[nodiscard]] Error no_backend(std::string_view name);
  [[nodiscard]] Error no_format();
  [[nodiscard]] std::string failures_of(PluginKind kind, std::string_view name) const;

  SearchPath search_path_;
  const HostServices& host_;
  std::vector<std::unique_ptr<Entry>> entries_;  // in search order
};

}  // namespace aprx
