// Builds GGUF files byte by byte, wrong ones included: every field is written as it is given.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace aprx::test {

// Value types as the file numbers them.
enum class GgufType : uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

// The bytes of a number, least significant first.
template <typename T>
std::string little_endian(T value) {
  static_assert(std::is_arithmetic_v<T> && std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline std::string gguf_text(std::string_view text) {
  return little_endian<uint64_t>(text.size()) + std::string(text);
}

// The bytes of an array's value whose items are given as bytes.
inline std::string gguf_array(GgufType item_type, const std::vector<std::string>& items) {
  std::string out = little_endian(static_cast<uint32_t>(item_type)) + little_endian<uint64_t>(items.size());
  for (const std::string& item : items) out += item;
  return out;
}

inline std::string gguf_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(gguf_text(text));
  return gguf_array(GgufType::kString, items);
}

struct GgufTensor {
  std::string name;
  std::vector<uint64_t> dims;  // as in the file: the contiguous axis first
  uint32_t type = 0;
  std::string data;
  std::optional<uint64_t> offset = {};  // in place of the right one
};

class GgufWriter {
 public:
  uint32_t version = 3;
  uint64_t alignment = 32;  // of the layout; the key is written only where a test sets it

  GgufWriter& set(std::string_view key, GgufType type, const std::string& bytes) {
    pairs_ += gguf_text(key) + little_endian(static_cast<uint32_t>(type)) + bytes;
    ++pair_count_;
    return *this;
  }
  GgufWriter& set_text(std::string_view key, std::string_view text) {
    return set(key, GgufType::kString, gguf_text(text));
  }
  GgufWriter& set_u32(std::string_view key, uint32_t value) {
    return set(key, GgufType::kUint32, little_endian(value));
  }
  GgufWriter& add(GgufTensor tensor) {
    tensors_.push_back(std::move(tensor));
    return *this;
  }

  [[nodiscard]] std::string bytes() const {
    std::string out = "GGUF" + little_endian(version) + little_endian<uint64_t>(tensors_.size()) +
                      little_endian<uint64_t>(pair_count_) + pairs_;
    std::string data;
    for (const GgufTensor& tensor : tensors_) {
      out += gguf_text(tensor.name) + little_endian(static_cast<uint32_t>(tensor.dims.size()));
      for (const uint64_t dim : tensor.dims) out += little_endian(dim);
      out += little_endian(tensor.type) + little_endian<uint64_t>(tensor.offset.value_or(data.size()));
      data += tensor.data;
      pad(data);
    }
    pad(out);
    return out + data;
  }

  void write(const std::filesystem::path& path) const { std::ofstream(path, std::ios::binary) << bytes(); }

 private:
  void pad(std::string& bytes) const { bytes.resize((bytes.size() + alignment - 1) / alignment * alignment); }

  std::string pairs_;
  uint64_t pair_count_ = 0;
  std::vector<GgufTensor> tensors_;
};

}  // namespace aprx::test
