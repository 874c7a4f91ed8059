#include "core/plugin/search_path.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace aprx {

namespace {

namespace fs = std::filesystem;

// The value of an environment variable; nothing under raised privilege, where whoever started the
// program must not choose what code it loads.
std::string variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> split_at_colons(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0) parts.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return parts;
}

// The user's data directory as the XDG base directory specification defines it; relative values
// don't count. Empty if it isn't known.
fs::path user_data_directory() {
  const fs::path data = variable("XDG_DATA_HOME");
  if (data.is_absolute()) return data;
  const fs::path home = variable("HOME");
  return home.is_absolute() ? home / ".local" / "share" : fs::path();
}

fs::path beside_program() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  return program.parent_path().parent_path() / "lib" / "aprx" / "plugins";
}

std::string why_unusable(const fs::path& directory) {
  if (!directory.is_absolute()) return "not an absolute path";
  std::error_code failed;
  const fs::file_status status = fs::status(directory, failed);
  if (status.type() == fs::file_type::not_found) return "no such directory";
  if (failed) return failed.message();
  if (status.type() != fs::file_type::directory) return "not a directory";
  fs::directory_iterator entries(directory, failed);
  return failed ? failed.message() : "";
}

}  // namespace

SearchPath SearchPath::standard(std::span<const std::string> plugin_dirs) {
  SearchPath path;
  std::error_code failed;
  for (const std::string& directory : plugin_dirs) path.add(fs::absolute(directory, failed), "--plugin-dir");
  for (const std::string& directory : split_at_colons(variable("APRX_PLUGIN_PATH"))) {
    path.add(directory, "APRX_PLUGIN_PATH");
  }
  if (const fs::path beside = beside_program(); !beside.empty()) path.add(beside, "program");
  if (const fs::path data = user_data_directory(); !data.empty()) path.add(data / "aprx" / "plugins", "user");
  path.add("/usr/local/lib/aprx/plugins", "system");
  path.add("/usr/lib/aprx/plugins", "system");
  return path;
}

SearchPath SearchPath::only(std::span<const fs::path> directories) {
  SearchPath path;
  for (const fs::path& directory : directories) path.add(directory, "given");
  return path;
}

void SearchPath::add(const fs::path& directory, const char* source) {
  SearchPlace place{directory, source, why_unusable(directory)};
  std::error_code failed;
  // A directory that is named twice, or through a link, must not shadow itself.
  const fs::path resolved = fs::weakly_canonical(directory, failed);
  if (directory.is_absolute() && !failed) place.directory = resolved;
  const bool is_known = std::any_of(places_.begin(), places_.end(), [&](const SearchPlace& known) {
    return known.directory == place.directory;
  });
  if (!is_known) places_.push_back(std::move(place));
}

std::string SearchPath::text() const {
  std::string out;
  for (const SearchPlace& place : places_) {
    if (!out.empty()) out += ", ";
    out += place.directory.string();
    if (!place.unusable.empty()) out += " (" + place.unusable + ")";
  }
  return out;
}

}  // namespace aprx
