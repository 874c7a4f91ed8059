// Where plugins are looked for, in order: docs/plugins.md. Never the working directory.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace aprx {

struct SearchPlace {
  std::filesystem::path directory;  // absolute, links resolved as far as it exists
  std::string source;               // who named it: "--plugin-dir", "APRX_PLUGIN_PATH", "user", ...
  std::string unusable;             // why it isn't searched; empty if it is
};

class SearchPath {
 public:
  // The documented order, from `plugin_dirs` (values of --plugin-dir; a relative one counts from the
  // working directory), the environment and the place of the running program.
  [[nodiscard]] static SearchPath standard(std::span<const std::string> plugin_dirs);

  // These directories and no others.
  [[nodiscard]] static SearchPath only(std::span<const std::filesystem::path> directories);

  // Every place once, in search order, those that aren't searched included.
  [[nodiscard]] std::span<const SearchPlace> places() const { return places_; }

  // All places in one line, for messages: "/a, /b (no such directory)".
  [[nodiscard]] std::string text() const;

 private:
  void add(const std::filesystem::path& directory, const char* source);

  std::vector<SearchPlace> places_;
};

}  // namespace aprx
