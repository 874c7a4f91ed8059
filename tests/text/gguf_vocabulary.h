// Just enough of a GGUF reader to get a vocabulary for the tokenizer tests, so that they depend on no
// format plugin. It trusts the file's structure but stays inside it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/text/vocabulary.h"

namespace aprx::test {

// Standard output of a shell command.
inline std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw std::runtime_error("cannot run: " + command);
  std::string out;
  std::vector<char> block(size_t{1} << 20U);
  for (size_t n = 0; (n = std::fread(block.data(), 1, block.size(), pipe.get())) > 0;)
    out.append(block.data(), n);
  if (out.empty()) throw std::runtime_error("no output of: " + command);
  return out;
}

class GgufVocabularyReader {
 public:
  explicit GgufVocabularyReader(std::string_view file) : file_(file) {}

  VocabularySource read() {
    at_ = 16;  // magic, version, tensor count
    const auto keys = number<uint64_t>();
    for (uint64_t i = 0; i < keys; ++i) read_pair();
    return std::move(source_);
  }

 private:
  enum Type : uint32_t { kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7, kString = 8, kArray = 9 };

  std::string_view take(size_t n) {
    if (n > file_.size() - at_) throw std::runtime_error("gguf ends early");
    const std::string_view bytes = file_.substr(at_, n);
    at_ += n;
    return bytes;
  }

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string string() { return std::string(take(number<uint64_t>())); }

  void skip(uint32_t type) {
    static const std::map<uint32_t, size_t> kSizes = {{0, 1}, {1, 1}, {2, 2},  {3, 2},  {4, 4}, {5, 4},
                                                      {6, 4}, {7, 1}, {10, 8}, {11, 8}, {12, 8}};
    if (type == kString) {
      string();
    } else if (type == kArray) {
      const auto item = number<uint32_t>();
      const auto items = number<uint64_t>();
      for (uint64_t i = 0; i < items; ++i) skip(item);
    } else {
      take(kSizes.at(type));
    }
  }

  template <typename T, typename Read>
  std::vector<T> array(Read read) {
    number<uint32_t>();  // item type
    std::vector<T> items(number<uint64_t>());
    for (T& item : items) item = read();
    return items;
  }

  void read_pair() {
    const std::string key = string();
    const auto type = number<uint32_t>();
    const std::string kPrefix = "tokenizer.ggml.";
    const std::string name = key.starts_with(kPrefix) ? key.substr(kPrefix.size()) : "";
    if (type == kString && (name == "model" || name == "pre")) {
      (name == "model" ? source_.model : source_.pre) = string();
    } else if (type == kArray && (name == "tokens" || name == "merges")) {
      (name == "tokens" ? source_.tokens : source_.merges) = array<std::string>([this] { return string(); });
    } else if (type == kArray && name == "scores") {
      source_.scores = array<float>([this] { return number<float>(); });
    } else if (type == kArray && name == "token_type") {
      source_.types = array<int32_t>([this] { return number<int32_t>(); });
    } else if (type == kU32 && ids_.contains(name)) {
      *ids_.at(name) = number<uint32_t>();
    } else if (type == kBool && flags_.contains(name)) {
      *flags_.at(name) = number<uint8_t>() != 0;
    } else {
      skip(type);
    }
  }

  std::string_view file_;
  size_t at_ = 0;
  VocabularySource source_;
  const std::map<std::string, std::optional<int64_t>*> ids_ = {
      {"bos_token_id", &source_.bos_id},         {"eos_token_id", &source_.eos_id},
      {"eot_token_id", &source_.eot_id},         {"eom_token_id", &source_.eom_id},
      {"unknown_token_id", &source_.unknown_id}, {"padding_token_id", &source_.padding_id}};
  const std::map<std::string, std::optional<bool>*> flags_ = {{"add_bos_token", &source_.add_bos},
                                                              {"add_eos_token", &source_.add_eos},
                                                              {"add_space_prefix", &source_.add_space_prefix},
                                                              {"normalizer.nfc", &source_.nfc}};
};

}  // namespace aprx::test
