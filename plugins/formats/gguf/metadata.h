// Key-value pairs of a GGUF header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "header_bytes.h"

namespace aprx::gguf {

// Value types as the file numbers them.
enum class ValueType : uint32_t {
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

struct Entry {
  TextAt key;
  ValueType type{};
  ValueType item_type{};        // of an array
  bool holds_huge = false;      // a uint64 array with a value above INT64_MAX
  uint64_t count = 0;           // of an array
  uint64_t offset = 0;          // of the value's bytes; of an array's first item
  std::vector<uint64_t> items;  // of an array of strings: where the length of each stands
};

struct Metadata {
  std::vector<Entry> entries;
  std::vector<std::string> warnings;
};

// Reads `count` pairs. Pairs whose key is empty or not UTF-8 are left out, with a warning. A value
// that can't be, a duplicate key, and arrays nested more than a few levels are refused.
[[nodiscard]] Metadata read_metadata(HeaderBytes& header, uint64_t count);

[[nodiscard]] aprx_value value_of(const HeaderBytes& header, const Entry& entry);

// Item `item` of an array that isn't nested; throws FormatError past the end.
[[nodiscard]] aprx_value item_of(const HeaderBytes& header, const Entry& entry, uint64_t item);

[[nodiscard]] const Entry* find(const HeaderBytes& header, const std::vector<Entry>& entries,
                                std::string_view key);

// The value of `key` as an unsigned integer, whatever its width; nothing if there is no such key.
// Another type, and a negative number, are refused.
[[nodiscard]] std::optional<uint64_t> unsigned_of(HeaderBytes& header, const std::vector<Entry>& entries,
                                                  std::string_view key);

}  // namespace aprx::gguf
