// The model descriptions that are installed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/description.h"
#include "runtime/model/file_facts.h"

namespace aprx {

// Where descriptions are looked for, best first: `given` (--model-dir), the absolute paths of
// APRX_MODEL_PATH (separated by colons; not read by a program with raised privileges), and
// share/aprx/models beside the folder of the program. Descriptions decide how files are read, so the
// working folder is never searched.
[[nodiscard]] std::vector<std::filesystem::path> description_folders(
    const std::vector<std::filesystem::path>& given);

// Read-only once loaded, then safe to share between threads.
class DescriptionSet {
 public:
  // Reads every *.json of the folders that exist. An architecture is described by the first folder
  // that has it; two descriptions of it in one folder are an error, and so is one that doesn't parse.
  [[nodiscard]] static Result<DescriptionSet> load(const std::vector<std::filesystem::path>& folders);

  [[nodiscard]] const Description* find(std::string_view architecture) const;
  [[nodiscard]] std::vector<std::string> known() const;  // architectures, sorted

  // The description of the file's architecture. An unknown one is kCapability, with the known names.
  [[nodiscard]] Result<const Description*> select(const FileFacts& file) const;

 private:
  [[nodiscard]] Result<void> load_folder(const std::filesystem::path& folder);

  std::vector<std::filesystem::path> folders_;
  std::map<std::string, Description> descriptions_;                  // by path
  std::map<std::string, std::string, std::less<>> by_architecture_;  // architecture: path
};

}  // namespace aprx
