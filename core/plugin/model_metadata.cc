// The metadata half of ModelFile.

#include <algorithm>

#include "core/plugin/format.h"
#include "core/plugin/model_file.h"
#include "core/plugin/plugin_call.h"

namespace aprx {

namespace {

aprx_value empty_value() {
  aprx_value value{};
  value.struct_size = sizeof value;
  return value;
}

Value value_of(const aprx_value& from) {
  Value value;
  value.kind = static_cast<ValueKind>(from.type);
  value.item_kind = static_cast<ValueKind>(from.item_type);
  value.count = from.count;
  value.integer = from.integer;
  value.unsigned_integer = from.unsigned_integer;
  value.real = from.real;
  if (from.string.data != nullptr) value.text = {from.string.data, from.string.size};
  value.type_name = text_of(from.type_name);
  return value;
}

bool is_integer(uint32_t type) { return type == APRX_VALUE_INT || type == APRX_VALUE_BOOL; }

}  // namespace

Result<void> ModelFile::read_metadata() {
  const aprx_format& table = format_.table();
  const uint64_t count = table.metadata_count(format_.self(), model_);
  for (uint64_t i = 0; i < count; ++i) {
    aprx_string key{};
    aprx_value value = empty_value();
    if (table.metadata(format_.self(), model_, i, &key, &value) != APRX_OK || key.data == nullptr) {
      return plugin_error("the format plugin can't give metadata entry number " + std::to_string(i));
    }
    metadata_.push_back({{key.data, key.size}, value_of(value)});
  }
  metadata_index_.reserve(metadata_.size());
  for (size_t i = 0; i < metadata_.size(); ++i) metadata_index_.emplace(metadata_[i].key, i);
  return {};
}

const Value* ModelFile::find(std::string_view key) const {
  const auto found = metadata_index_.find(key);
  return found == metadata_index_.end() ? nullptr : &metadata_[found->second].value;
}

std::vector<Value> ModelFile::items(size_t entry, uint64_t first, uint64_t count) const {
  std::vector<Value> items;
  const Value& array = metadata_[entry].value;
  if (array.item_kind == ValueKind::kNone || first >= array.count) return items;
  const uint64_t end = first + std::min(count, array.count - first);
  for (uint64_t i = first; i < end; ++i) {
    aprx_value item = empty_value();
    if (format_.table().metadata_item(format_.self(), model_, entry, i, &item) != APRX_OK) break;
    items.push_back(value_of(item));
  }
  return items;
}

Error ModelFile::key_error(std::string_view key, std::string found, std::string expected) const {
  return {ErrorCode::kBadFile, path_, "key " + std::string(key), std::move(found), std::move(expected), {}};
}

Result<const MetadataEntry*> ModelFile::entry(std::string_view key, ValueKind kind,
                                              const char* expected) const {
  const auto found = metadata_index_.find(key);
  if (found == metadata_index_.end()) return key_error(key, "missing");
  const MetadataEntry* entry = &metadata_[found->second];
  if (entry->value.kind == kind) return entry;
  if (entry->value.kind == ValueKind::kUnsigned && kind == ValueKind::kInteger) {
    return key_error(key, "the value is " + std::to_string(entry->value.unsigned_integer),
                     "at most 2^63 - 1");
  }
  return key_error(key, "its type is " + entry->value.type_name, expected);
}

Result<int64_t> ModelFile::integer(std::string_view key) const {
  auto found = entry(key, ValueKind::kInteger, "an integer");
  if (!found) return found.error();
  return (*found)->value.integer;
}

Result<double> ModelFile::real(std::string_view key) const {
  const Value* value = find(key);
  if (value != nullptr && value->kind == ValueKind::kInteger) return static_cast<double>(value->integer);
  auto found = entry(key, ValueKind::kReal, "a number");
  if (!found) return found.error();
  return (*found)->value.real;
}

Result<std::string> ModelFile::text(std::string_view key) const {
  auto found = entry(key, ValueKind::kText, "a string");
  if (!found) return found.error();
  return std::string((*found)->value.text);
}

Result<bool> ModelFile::boolean(std::string_view key) const {
  auto found = entry(key, ValueKind::kBoolean, "a bool");
  if (!found) return found.error();
  return (*found)->value.integer != 0;
}

template <typename Take>
Result<void> ModelFile::each_item(std::string_view key, const char* expected, const Take& take) const {
  auto found = entry(key, ValueKind::kArray, expected);
  if (!found) return found.error();
  const Value& array = (*found)->value;
  const auto index = static_cast<uint64_t>(*found - metadata_.data());
  if (array.count > 0 && array.item_kind == ValueKind::kNone) {
    return key_error(key, "its type is " + array.type_name, expected);
  }
  aprx_value item = empty_value();
  for (uint64_t i = 0; i < array.count; ++i) {
    if (format_.table().metadata_item(format_.self(), model_, index, i, &item) != APRX_OK) {
      return plugin_error("the format plugin can't give item " + std::to_string(i) + " of " +
                          std::string(key));
    }
    if (!take(item)) return key_error(key, "its type is " + array.type_name, expected);
  }
  return {};
}

Result<std::vector<std::string>> ModelFile::texts(std::string_view key) const {
  std::vector<std::string> texts;
  auto done = each_item(key, "an array of strings", [&](const aprx_value& item) {
    if (item.type != APRX_VALUE_STRING) return false;
    texts.emplace_back(item.string.data == nullptr ? "" : item.string.data, item.string.size);
    return true;
  });
  if (!done) return done.error();
  return texts;
}

Result<std::vector<int64_t>> ModelFile::integers(std::string_view key) const {
  std::vector<int64_t> integers;
  auto done = each_item(key, "an array of integers", [&](const aprx_value& item) {
    if (!is_integer(item.type)) return false;
    integers.push_back(item.integer);
    return true;
  });
  if (!done) return done.error();
  return integers;
}

Result<std::vector<double>> ModelFile::reals(std::string_view key) const {
  std::vector<double> reals;
  auto done = each_item(key, "an array of numbers", [&](const aprx_value& item) {
    if (item.type != APRX_VALUE_REAL && item.type != APRX_VALUE_INT) return false;
    reals.push_back(item.type == APRX_VALUE_REAL ? item.real : static_cast<double>(item.integer));
    return true;
  });
  if (!done) return done.error();
  return reals;
}

}  // namespace aprx
