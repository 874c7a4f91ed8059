// A format that claims every file whose name ends in .bad, and describes tensors that can't be.
#include <stdexcept>

#include "aprx/format.hpp"

namespace {

using aprx::FormatEntry;

// The first byte of the file says what is wrong with it.
class Model final : public aprx::FormatModel {
 public:
  explicit Model(char fault) : fault_(fault) {}
  const char* scheme() const override { return "bad"; }
  const char* version() const override { return "bad 1"; }
  const char* claim() const override { return ""; }
  uint32_t file_count() const override { return 1; }
  uint64_t metadata_count() const override { return 0; }
  FormatEntry metadata(uint64_t) const override { return {}; }
  aprx_value metadata_item(uint64_t, uint64_t) const override { return {}; }
  uint64_t tensor_count() const override { return 1; }
  aprx_file_tensor tensor(uint64_t) const override {
    aprx_file_tensor out{};
    out.dtype = fault_ == 'd' ? 4000 : APRX_F32;
    out.rank = fault_ == 'r' ? 99 : 1;
    out.shape[0] = 1;
    out.size = 4;
    out.offset = fault_ == 'o' ? UINT64_MAX - 1 : 0;
    out.file = fault_ == 'f' ? 7 : 0;
    out.name = {"t", 1};
    return out;
  }
  std::span<const std::string> warnings() const override { return {}; }

 private:
  char fault_;
};

class Plugin final : public aprx::FormatPlugin {
 public:
  using FormatPlugin::FormatPlugin;
  uint32_t detect(std::string_view path, std::span<const uint8_t>) const override {
    if (path.ends_with(".throws")) throw 1;
    return path.ends_with(".bad") ? 100 : 0;
  }
  std::unique_ptr<aprx::FormatModel> open(aprx::Files files, const std::string& path) override {
    const aprx::Files::Opened file = files.open(path);
    char fault = 0;
    files.read(file.index, 0, &fault, 1);
    if (fault == 'n') return nullptr;
    if (fault == 't') throw std::runtime_error("thrown while opening");
    return std::make_unique<Model>(fault);
  }
};

}  // namespace

extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 = aprx::format_plugin<Plugin>("bad", "1.0");
