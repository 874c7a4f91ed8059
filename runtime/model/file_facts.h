// What a description is held against: the metadata and the tensor list of one file, without its data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/plugin/model_file.h"
#include "runtime/model/scalar.h"

namespace aprx {

struct Fact {
  std::string type_name;  // the format's own word: "uint32", "array of bool"
  bool is_array = false;
  // One value, or the items of an array. Empty where no expression can use it: nested or very long
  // arrays, arrays of text, integers above 2^63 - 1.
  std::vector<Scalar> values;
};

// Read-only once it is filled; then safe to share between threads.
class FileFacts {
 public:
  FileFacts(std::string path, std::string scheme) : path_(std::move(path)), scheme_(std::move(scheme)) {}

  void add_fact(std::string key, Fact fact) { facts_.insert_or_assign(std::move(key), std::move(fact)); }
  void add_tensor(FileTensor tensor);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& scheme() const { return scheme_; }  // naming scheme: "gguf"
  [[nodiscard]] const Fact* find(std::string_view key) const;
  [[nodiscard]] const std::vector<FileTensor>& tensors() const { return tensors_; }  // in the file's order
  [[nodiscard]] std::optional<size_t> find_tensor(const std::string& name) const;    // index in tensors()

 private:
  std::string path_, scheme_;
  std::map<std::string, Fact, std::less<>> facts_;
  std::vector<FileTensor> tensors_;
  std::unordered_map<std::string, size_t> index_;
};

// What the format plugin found in a file.
[[nodiscard]] FileFacts facts_of(const ModelFile& file);

// The value of general.architecture; an error where it is absent, no text, or empty.
[[nodiscard]] Result<std::string> architecture_of(const FileFacts& file);

// An error that names the first tensor whose type the program doesn't know, and how many more.
[[nodiscard]] Result<void> check_dtypes(const FileFacts& file);

}  // namespace aprx
