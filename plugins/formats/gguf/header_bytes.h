// The header of one file, read from the front in large steps and kept whole, so that texts and
// arrays are views into it instead of half a million small strings.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "aprx/format.hpp"

namespace aprx::gguf {

// Far above any real header (a vocabulary of a million tokens is some 40 MiB), far below what a
// forged length could ask for.
inline constexpr uint64_t kMaxHeaderBytes = uint64_t{256} << 20U;

[[nodiscard]] inline std::string number(uint64_t value) { return std::to_string(value); }

// A length-prefixed text: where its bytes stand in the header.
struct TextAt {
  uint64_t offset = 0;
  uint64_t size = 0;
};

class HeaderBytes {
 public:
  HeaderBytes(Files files, std::string path, Files::Opened file);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] uint32_t file() const { return file_.index; }
  [[nodiscard]] uint64_t file_size() const { return file_.size; }
  [[nodiscard]] uint64_t position() const { return position_; }
  [[nodiscard]] uint64_t remaining() const { return file_.size - position_; }

  // What errors are about from now on: "key general.name", "tensor number 3".
  void set_subject(std::string subject) { subject_ = std::move(subject); }

  // The next value; `what` names it in the error if the file ends before it does.
  template <typename T>
  T next(const char* what) {
    static_assert(std::is_arithmetic_v<T> && std::endian::native == std::endian::little);
    require(sizeof(T), what);
    const T value = load<T>(position_);
    position_ += sizeof(T);
    return value;
  }

  // The next text of at most `limit` bytes. Errors name the byte where its length stands.
  TextAt next_text(const char* what, uint64_t limit = UINT64_MAX);

  // Moves past `count` items of `item_bytes` each and keeps them loaded.
  void skip(uint64_t count, uint64_t item_bytes, const char* what);

  // Fails unless `count` things of at least `least_bytes` each can still follow.
  void require_room(const char* what, uint64_t count, uint64_t least_bytes, uint64_t at) const;

  // The value at `offset`, which must have been read past.
  template <typename T>
  [[nodiscard]] T load(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::string_view text(TextAt at) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at.offset, static_cast<size_t>(at.size)};
  }

  [[noreturn]] void fail(std::string found, std::string expected = {}, std::string hint = {}) const;

 private:
  void require(uint64_t size, const char* what) {
    if (size > bytes_.size() - position_) load_more(size, what);
  }
  void load_more(uint64_t size, const char* what);

  Files files_;
  std::string path_;
  Files::Opened file_;
  std::string subject_;
  std::vector<uint8_t> bytes_;  // the file's first bytes
  uint64_t position_ = 0;
};

}  // namespace aprx::gguf
