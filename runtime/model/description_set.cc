#include "runtime/model/description_set.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

namespace aprx {

namespace fs = std::filesystem;

std::vector<fs::path> description_folders(const std::vector<fs::path>& given) {
  std::vector<fs::path> out = given;
  const char* listed = secure_getenv("APRX_MODEL_PATH");
  std::string rest = listed != nullptr ? listed : "";
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    const fs::path folder = rest.substr(0, colon);
    if (folder.is_absolute()) out.push_back(folder);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) out.push_back(program.parent_path().parent_path() / "share" / "aprx" / "models");
  return out;
}

Result<DescriptionSet> DescriptionSet::load(const std::vector<fs::path>& folders) {
  DescriptionSet set;
  set.folders_ = folders;
  for (const fs::path& folder : folders) {
    if (auto ok = set.load_folder(folder); !ok) return ok.error();
  }
  return set;
}

Result<void> DescriptionSet::load_folder(const fs::path& folder) {
  std::error_code error;
  std::set<fs::path> paths;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (at->path().extension() == ".json") paths.insert(at->path());
  }
  std::set<std::string> here;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{ErrorCode::kBadFile, path.string(), "", "can't be read", "", ""};
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto description = Description::parse(text, path.string());
    if (!description) return description.error();
    for (const std::string& name : description->architectures) {
      if (!here.insert(name).second)
        return Error{ErrorCode::kBadFile,
                     path.string(),
                     "architecture",
                     "'" + name + "' is described twice in this folder",
                     "",
                     ""};
      by_architecture_.emplace(name, path.string());
    }
    descriptions_.emplace(path.string(), *std::move(description));
  }
  return {};
}

const Description* DescriptionSet::find(std::string_view architecture) const {
  const auto found = by_architecture_.find(architecture);
  return found == by_architecture_.end() ? nullptr : &descriptions_.at(found->second);
}

std::vector<std::string> DescriptionSet::known() const {
  std::vector<std::string> out;
  for (const auto& [architecture, path] : by_architecture_) out.push_back(architecture);
  return out;
}

Result<const Description*> DescriptionSet::select(const FileFacts& file) const {
  const auto architecture = architecture_of(file);
  if (!architecture) return architecture.error();
  if (const Description* found = find(*architecture)) return found;
  std::string names;
  for (const std::string& name : known()) names += (names.empty() ? "" : ", ") + name;
  std::string searched;
  for (const fs::path& folder : folders_) searched += (searched.empty() ? "" : ", ") + folder.string();
  return Error{ErrorCode::kCapability,
               file.path(),
               "general.architecture",
               "'" + *architecture + "' is not known",
               names.empty() ? "an architecture with a description" : "one of " + names,
               "descriptions are read from " + searched};
}

}  // namespace aprx
