#include "shards.h"

#include <algorithm>
#include <optional>

namespace aprx::gguf {

namespace {

constexpr const char* kNumberKey = "split.no";
constexpr const char* kCountKey = "split.count";
constexpr const char* kTensorsKey = "split.tensors.count";
constexpr size_t kDigits = 5;

std::string five_digits(uint64_t value) {
  const std::string digits = number(value);
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
}

struct ShardName {
  std::string prefix;  // with the folder
  uint64_t number;     // from 1 on
  uint64_t count;

  [[nodiscard]] std::string path(uint64_t shard) const {
    return prefix + "-" + five_digits(shard) + "-of-" + five_digits(count) + ".gguf";
  }
};

std::optional<uint64_t> parse_digits(std::string_view text) {
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

// PREFIX-NNNNN-of-NNNNN.gguf, else nothing.
std::optional<ShardName> parse_name(std::string_view path) {
  constexpr std::string_view kOf = "-of-";
  constexpr std::string_view kSuffix = ".gguf";
  constexpr size_t kTail = 1 + kDigits + kOf.size() + kDigits + kSuffix.size();
  if (path.size() <= kTail || !path.ends_with(kSuffix)) return std::nullopt;
  const std::string_view tail = path.substr(path.size() - kTail);
  if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf) return std::nullopt;
  const auto shard = parse_digits(tail.substr(1, kDigits));
  const auto count = parse_digits(tail.substr(1 + kDigits + kOf.size(), kDigits));
  if (!shard || !count || *shard < 1 || *shard > *count) return std::nullopt;
  return ShardName{std::string(path.substr(0, path.size() - kTail)), *shard, *count};
}

std::optional<uint64_t> split_key(File& file, const char* key) {
  return unsigned_of(file.header, file.metadata.entries, key);
}

[[noreturn]] void fail_key(File& file, const char* key, std::string found, std::string expected) {
  file.header.set_subject("key " + std::string(key));
  file.header.fail(std::move(found), std::move(expected));
}

// The key must be there and have the value that the file's name says.
void expect_key(File& file, const char* key, uint64_t expected) {
  const std::optional<uint64_t> value = split_key(file, key);
  if (!value) fail_key(file, key, "missing", number(expected) + ", as the file's name says");
  if (*value == expected) return;
  const uint64_t at = find(file.header, file.metadata.entries, key)->offset;
  fail_key(file, key, "the value at byte " + number(at) + " is " + number(*value),
           number(expected) + ", as the file's name says");
}

void check_shard(File& file, const ShardName& name, uint64_t shard) {
  expect_key(file, kCountKey, name.count);
  expect_key(file, kNumberKey, shard - 1);
}

void refuse_duplicates(std::vector<File>& files) {
  struct Named {
    std::string_view name;
    size_t file;
    uint64_t at;
  };
  std::vector<Named> names;
  for (size_t i = 0; i < files.size(); ++i) {
    for (const Tensor& tensor : files[i].tensors) {
      names.push_back({files[i].header.text(tensor.name), i, tensor.name.offset});
    }
  }
  std::sort(names.begin(), names.end(), [](const Named& a, const Named& b) {
    const int by_name = a.name.compare(b.name);
    if (by_name != 0) return by_name < 0;
    return a.file != b.file ? a.file < b.file : a.at < b.at;
  });
  for (size_t i = 1; i < names.size(); ++i) {
    const Named& first = names[i - 1];
    const Named& second = names[i];
    if (first.name != second.name) continue;
    HeaderBytes& header = files[second.file].header;
    header.set_subject("tensor " + std::string(second.name));
    header.fail("duplicate tensor, the second at byte " + number(second.at) +
                (first.file == second.file ? "" : ", the first in " + files[first.file].header.path()));
  }
}

void check_tensor_count(std::vector<File>& files) {
  uint64_t total = 0;
  for (const File& file : files) total += file.tensors.size();
  for (File& file : files) {
    const std::optional<uint64_t> said = split_key(file, kTensorsKey);
    if (!said || *said == total) continue;
    fail_key(file, kTensorsKey, "the value is " + number(*said),
             number(total) + ", the number of tensors in all shards");
  }
}

std::vector<File> read_shards(Files files, File opened, const ShardName& name) {
  check_shard(opened, name, name.number);
  std::vector<File> shards;
  for (uint64_t shard = 1; shard <= name.count; ++shard) {
    if (shard == name.number) {
      shards.push_back(std::move(opened));
      continue;
    }
    shards.push_back(read_file(files, name.path(shard)));
    check_shard(shards.back(), name, shard);
  }
  return shards;
}

}  // namespace

std::vector<File> read_model(Files files, const std::string& path) {
  std::vector<File> model;
  File file = read_file(files, path);
  const uint64_t count = split_key(file, kCountKey).value_or(1);
  const std::optional<ShardName> name = parse_name(path);
  if (count > 1 && !name) {
    fail_key(file, kCountKey,
             "the model has " + number(count) + " files, and this one's name doesn't say which it is",
             "a name like PREFIX-00001-of-" + five_digits(count) + ".gguf");
  }
  if (count > 1) {
    model = read_shards(files, std::move(file), *name);
  } else {
    if (name && name->count > 1) {
      file.metadata.warnings.push_back("the file's name says that it is one of " + number(name->count) +
                                       " files, its keys don't; it is read alone");
    }
    model.push_back(std::move(file));
  }
  refuse_duplicates(model);
  if (count > 1) check_tensor_count(model);
  return model;
}

}  // namespace aprx::gguf
