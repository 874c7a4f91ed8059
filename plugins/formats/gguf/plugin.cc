// The plugin's face to the host: detection, and the opened model as the contract shows it.

#include <algorithm>
#include <array>

#include "aprx/format.hpp"
#include "claim.h"
#include "dtypes.h"
#include "recipes.h"
#include "shards.h"

namespace aprx::gguf {

namespace {

constexpr std::array<uint8_t, 4> kMagicBytes = {'G', 'G', 'U', 'F'};

class Model final : public FormatModel {
 public:
  explicit Model(std::vector<File> files) : files_(std::move(files)) {
    claim_ = claim_of(header(), files_.front().metadata);
    version_ = "GGUF v" + std::to_string(files_.front().version);
    for (size_t i = 0; i < files_.size(); ++i) {
      for (size_t j = 0; j < files_[i].tensors.size(); ++j) tensors_.push_back({i, j});
      const std::vector<std::string>& own = files_[i].metadata.warnings;
      warnings_.insert(warnings_.end(), own.begin(), own.end());
    }
  }

  const char* scheme() const override { return "gguf"; }
  const char* version() const override { return version_.c_str(); }
  const char* claim() const override { return claim_; }
  uint32_t file_count() const override { return static_cast<uint32_t>(files_.size()); }
  uint64_t metadata_count() const override { return entries().size(); }
  FormatEntry metadata(uint64_t index) const override {
    const Entry& entry = entries()[index];
    return {header().text(entry.key), value_of(header(), entry)};
  }
  aprx_value metadata_item(uint64_t index, uint64_t item) const override {
    return item_of(header(), entries()[index], item);
  }
  uint64_t tensor_count() const override { return tensors_.size(); }
  aprx_file_tensor tensor(uint64_t index) const override;
  std::span<const std::string> warnings() const override { return warnings_; }

 private:
  struct Place {
    size_t file;
    size_t tensor;
  };

  // The first file holds the model's metadata; those of other shards are about the shard.
  const HeaderBytes& header() const { return files_.front().header; }
  const std::vector<Entry>& entries() const { return files_.front().metadata.entries; }

  std::vector<File> files_;
  std::vector<Place> tensors_;
  std::vector<std::string> warnings_;
  std::string version_;
  const char* claim_;
};

aprx_file_tensor Model::tensor(uint64_t index) const {
  const File& file = files_[tensors_[index].file];
  const Tensor& from = file.tensors[tensors_[index].tensor];
  const TensorType type = tensor_type(from.type);
  aprx_file_tensor out{};
  out.dtype = static_cast<uint32_t>(type.dtype);
  out.dtype_status = type.status;
  out.file_dtype = from.type;
  out.file = file.header.file();
  out.rank = from.rank;
  out.offset = file.data_start + from.offset;
  out.size = from.size;
  for (uint32_t i = 0; i < from.rank; ++i) out.shape[i] = static_cast<int64_t>(from.dims[from.rank - 1 - i]);
  const std::string_view name = file.header.text(from.name);
  out.name = {name.data(), name.size()};
  if (type.status == APRX_DTYPE_NOT_KNOWN) {
    format_border::put(out.dtype_name, "unknown (id " + std::to_string(from.type) + ")");
  } else {
    format_border::put(out.dtype_name, type.name);
  }
  return out;
}

class Plugin final : public FormatPlugin {
 public:
  using FormatPlugin::FormatPlugin;

  // A file that is cut off inside its magic, or named like ours, gets our error text.
  uint32_t detect(std::string_view path, std::span<const uint8_t> head) const override {
    const size_t size = std::min(head.size(), kMagicBytes.size());
    if (size > 0 &&
        std::equal(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(size), kMagicBytes.begin())) {
      return 100;
    }
    return path.ends_with(".gguf") ? 10 : 0;
  }

  std::unique_ptr<FormatModel> open(Files files, const std::string& path) override {
    return std::make_unique<Model>(read_model(files, path));
  }

  std::span<const aprx_recipe> recipes() const override { return gguf::recipes(); }
};

}  // namespace

}  // namespace aprx::gguf

extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
    aprx::format_plugin<aprx::gguf::Plugin>("gguf", "0.1.0");
