// A model file as its format plugin describes it: metadata and tensors, whose bytes the host maps.
//
// Keys and tensor names are those of the file. Must die before the registry that opened it. Reading
// is thread-safe. Errors name the file and the key or tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aprx/abi.h"
#include "aprx/dtype.hpp"
#include "core/base/result.h"
#include "core/capability/recipe.h"
#include "core/plugin/file_set.h"

namespace aprx {

class Format;

enum class ValueKind : uint32_t {
  kNone = 0,  // item kind of an empty or nested array
  kInteger = APRX_VALUE_INT,
  kUnsigned = APRX_VALUE_UINT,  // above INT64_MAX
  kReal = APRX_VALUE_REAL,
  kBoolean = APRX_VALUE_BOOL,
  kText = APRX_VALUE_STRING,
  kArray = APRX_VALUE_ARRAY,
};

struct Value {
  ValueKind kind = ValueKind::kNone;
  ValueKind item_kind = ValueKind::kNone;  // of an array
  uint64_t count = 0;                      // of an array
  int64_t integer = 0;                     // of a boolean: 0 or 1
  uint64_t unsigned_integer = 0;
  double real = 0;
  std::string_view text = {};  // any bytes; lives as long as the ModelFile
  std::string type_name = {};  // the format's own word: "uint32", "array of string"
};

struct MetadataEntry {
  std::string_view key;
  Value value;
};

enum class DTypeStatus { kKnown, kUnknown, kRetired };

struct FileTensor {
  std::string name;
  DType dtype = DType::kUnknown;  // kUnknown unless the status is kKnown
  DTypeStatus status = DTypeStatus::kUnknown;
  uint32_t file_dtype = 0;     // the format's own number
  std::string dtype_name;      // the format's own word: "Q4_K", "Q4_0_4_4", "unknown (id 99)"
  std::vector<int64_t> shape;  // outermost first
  uint32_t file = 0;           // index into paths()
  uint64_t offset = 0;         // in that file
  uint64_t size = 0;           // bytes; 0 unless the dtype is known
};

class ModelFile {
 public:
  // Opens the model that `path` belongs to. Errors: kBadFile; kPlugin where the plugin breaks its
  // contract.
  static Result<std::unique_ptr<ModelFile>> open(const Format& format, const std::string& path);
  ~ModelFile();
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }  // as it was given
  [[nodiscard]] std::vector<std::string> paths() const;            // of all its files
  [[nodiscard]] const std::string& scheme() const { return scheme_; }
  [[nodiscard]] const std::string& version_text() const { return version_; }
  // The quantization that the file says it is: "Q4_K_M"; empty if it doesn't.
  [[nodiscard]] const std::string& claim() const { return claim_; }
  // Oddities that do no harm, each one printable sentence.
  [[nodiscard]] std::span<const std::string> warnings() const { return warnings_; }

  // Quantization recipes that the file's format knows, the most usual first.
  [[nodiscard]] std::span<const Recipe> recipes() const { return recipes_; }

  [[nodiscard]] std::span<const MetadataEntry> metadata() const { return metadata_; }
  // The value of `key`, or nullptr.
  [[nodiscard]] const Value* find(std::string_view key) const;
  // Up to `count` items of the array at metadata()[entry], from `first` on. Fewer at the array's
  // end; none if it is nested.
  [[nodiscard]] std::vector<Value> items(size_t entry, uint64_t first, uint64_t count) const;

  // The value of `key`; a missing key, and one of another type, are errors. Integers are taken for
  // reals, nothing else is converted.
  [[nodiscard]] Result<int64_t> integer(std::string_view key) const;
  [[nodiscard]] Result<double> real(std::string_view key) const;
  [[nodiscard]] Result<std::string> text(std::string_view key) const;
  [[nodiscard]] Result<bool> boolean(std::string_view key) const;
  [[nodiscard]] Result<std::vector<std::string>> texts(std::string_view key) const;
  [[nodiscard]] Result<std::vector<int64_t>> integers(std::string_view key) const;  // booleans too
  [[nodiscard]] Result<std::vector<double>> reals(std::string_view key) const;

  [[nodiscard]] std::span<const FileTensor> tensors() const { return tensors_; }
  [[nodiscard]] const FileTensor* find_tensor(std::string_view name) const;

  // The tensor's bytes, mapped read-only. Refused where the file has become too short.
  [[nodiscard]] Result<const std::byte*> data(const FileTensor& tensor) const;
  // Gives back the memory of the tensor's first bytes, which were copied elsewhere.
  void release(const FileTensor& tensor, uint64_t bytes) const;

 private:
  ModelFile(const Format& format, std::string path);
  Result<void> open_model();
  Result<void> read_metadata();
  Result<void> read_tensors();
  Result<void> check_tensor(const aprx_file_tensor& tensor) const;
  void read_warnings();
  void read_recipes();
  [[nodiscard]] Error key_error(std::string_view key, std::string found, std::string expected = {}) const;
  [[nodiscard]] Error plugin_error(std::string found) const;
  [[nodiscard]] Result<const MetadataEntry*> entry(std::string_view key, ValueKind kind,
                                                   const char* expected) const;
  // Gives every item of the array at `key` to `take`, which returns what is wrong with it, if
  // anything: nullptr if nothing.
  template <typename Take>
  Result<void> each_item(std::string_view key, const char* expected, const Take& take) const;

  const Format& format_;
  std::string path_;
  FileSet files_;
  void* model_ = nullptr;
  std::string scheme_;
  std::string version_;
  std::string claim_;
  std::vector<std::string> warnings_;
  std::vector<Recipe> recipes_;
  std::vector<MetadataEntry> metadata_;
  std::unordered_map<std::string_view, size_t> metadata_index_;
  std::vector<FileTensor> tensors_;
  std::unordered_map<std::string_view, size_t> tensor_index_;
};

}  // namespace aprx
