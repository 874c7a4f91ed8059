#include "metadata.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "utf8.h"

namespace aprx::gguf {

namespace {

// The specification's limit.
constexpr uint64_t kMaxKeyBytes = 65535;
// Deeper nesting has no known use, and recursion has to end somewhere.
constexpr int kMaxArrayDepth = 4;
// The shortest pair: length of the key, one byte of key, type, one byte of value.
constexpr uint64_t kLeastPairBytes = 8 + 1 + 4 + 1;

struct TypeFacts {
  const char* name;
  uint64_t bytes;  // of one value; the least for texts and arrays
  aprx_value_type type;
};

// Indexed by ValueType.
constexpr std::array<TypeFacts, 13> kTypes = {{
    {"uint8", 1, APRX_VALUE_INT},
    {"int8", 1, APRX_VALUE_INT},
    {"uint16", 2, APRX_VALUE_INT},
    {"int16", 2, APRX_VALUE_INT},
    {"uint32", 4, APRX_VALUE_INT},
    {"int32", 4, APRX_VALUE_INT},
    {"float32", 4, APRX_VALUE_REAL},
    {"bool", 1, APRX_VALUE_BOOL},
    {"string", 8, APRX_VALUE_STRING},
    {"array", 12, APRX_VALUE_ARRAY},
    {"uint64", 8, APRX_VALUE_INT},
    {"int64", 8, APRX_VALUE_INT},
    {"float64", 8, APRX_VALUE_REAL},
}};

const TypeFacts& facts(ValueType type) { return kTypes[static_cast<size_t>(type)]; }

ValueType next_type(HeaderBytes& header, const char* what) {
  const uint64_t at = header.position();
  const auto type = header.next<uint32_t>(what);
  if (type >= kTypes.size()) {
    header.fail("the " + std::string(what) + " at byte " + number(at) + " is " + number(type), "0 to 12");
  }
  return static_cast<ValueType>(type);
}

struct ArrayHead {
  ValueType item_type;
  uint64_t count;
};

ArrayHead next_array_head(HeaderBytes& header) {
  const ValueType item_type = next_type(header, "item type");
  const uint64_t at = header.position();
  const auto count = header.next<uint64_t>("item count");
  header.require_room("item count", count, facts(item_type).bytes, at);
  return {item_type, count};
}

void skip_array(HeaderBytes& header, int depth, uint64_t outermost);

void skip_items(HeaderBytes& header, ArrayHead head, int depth, uint64_t outermost) {
  if (head.item_type != ValueType::kString && head.item_type != ValueType::kArray) {
    header.skip(head.count, facts(head.item_type).bytes, "array");
    return;
  }
  for (uint64_t i = 0; i < head.count; ++i) {
    if (head.item_type == ValueType::kString) {
      header.next_text("text of an item");
    } else {
      skip_array(header, depth + 1, outermost);
    }
  }
}

void skip_array(HeaderBytes& header, int depth, uint64_t outermost) {
  if (depth > kMaxArrayDepth) {
    header.fail("the array at byte " + number(outermost) + " holds arrays in arrays, more than " +
                number(kMaxArrayDepth) + " deep");
  }
  skip_items(header, next_array_head(header), depth, outermost);
}

bool holds_huge(const HeaderBytes& header, const Entry& entry) {
  for (uint64_t i = 0; i < entry.count; ++i) {
    if (header.load<uint64_t>(entry.offset + 8 * i) > static_cast<uint64_t>(INT64_MAX)) return true;
  }
  return false;
}

void read_array(HeaderBytes& header, Entry& entry) {
  const uint64_t outermost = header.position();
  const ArrayHead head = next_array_head(header);
  entry.item_type = head.item_type;
  entry.count = head.count;
  entry.offset = header.position();
  if (head.item_type != ValueType::kString) {
    skip_items(header, head, 1, outermost);
    entry.holds_huge = head.item_type == ValueType::kUint64 && holds_huge(header, entry);
    return;
  }
  // The count is bounded by the file; a header that is cut off ends the loop long before.
  entry.items.reserve(std::min(head.count, kMaxHeaderBytes / facts(ValueType::kString).bytes));
  for (uint64_t i = 0; i < head.count; ++i) {
    entry.items.push_back(header.position());
    header.next_text("text of an item");
  }
}

void read_value(HeaderBytes& header, Entry& entry) {
  entry.type = next_type(header, "value type");
  entry.offset = header.position();
  switch (entry.type) {
    case ValueType::kArray: return read_array(header, entry);
    case ValueType::kString: header.next_text("value"); return;
    default: header.skip(1, facts(entry.type).bytes, "value");
  }
}

Entry read_pair(HeaderBytes& header, uint64_t index) {
  header.set_subject("key number " + number(index));
  Entry entry;
  entry.key = header.next_text("key", kMaxKeyBytes);
  header.set_subject("key " + std::string(header.text(entry.key)));
  read_value(header, entry);
  return entry;
}

// Why a pair is left out; empty if it is kept.
std::string oddity(const HeaderBytes& header, const Entry& entry) {
  const std::string_view key = header.text(entry.key);
  if (key.empty()) return "the key at byte " + number(entry.key.offset) + " is empty and was left out";
  if (!is_utf8(key)) return "key " + std::string(key) + " is not UTF-8 and was left out";
  return {};
}

void refuse_duplicates(HeaderBytes& header, const std::vector<Entry>& entries) {
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int by_key = header.text(entries[a].key).compare(header.text(entries[b].key));
    return by_key != 0 ? by_key < 0 : a < b;
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const TextAt second = entries[order[i]].key;
    if (header.text(second) != header.text(entries[order[i - 1]].key)) continue;
    header.set_subject("key " + std::string(header.text(second)));
    header.fail("duplicate key, the second at byte " + number(second.offset));
  }
}

aprx_value integer(int64_t value) {
  aprx_value out{};
  out.type = APRX_VALUE_INT;
  out.integer = value;
  return out;
}

aprx_value huge(uint64_t value) {
  aprx_value out = integer(static_cast<int64_t>(std::min(value, static_cast<uint64_t>(INT64_MAX))));
  out.type = APRX_VALUE_UINT;
  out.unsigned_integer = value;
  return out;
}

aprx_value real(double value) {
  aprx_value out{};
  out.type = APRX_VALUE_REAL;
  out.real = value;
  return out;
}

aprx_value boolean(uint8_t value) {
  aprx_value out = integer(value != 0 ? 1 : 0);
  out.type = APRX_VALUE_BOOL;
  return out;
}

aprx_value text(std::string_view value) {
  aprx_value out{};
  out.type = APRX_VALUE_STRING;
  out.string = {value.data(), value.size()};
  return out;
}

std::string_view text_at(const HeaderBytes& header, uint64_t offset) {
  return header.text({offset + 8, header.load<uint64_t>(offset)});
}

aprx_value load_value(const HeaderBytes& header, ValueType type, uint64_t at) {
  switch (type) {
    case ValueType::kUint8: return integer(header.load<uint8_t>(at));
    case ValueType::kInt8: return integer(header.load<int8_t>(at));
    case ValueType::kUint16: return integer(header.load<uint16_t>(at));
    case ValueType::kInt16: return integer(header.load<int16_t>(at));
    case ValueType::kUint32: return integer(header.load<uint32_t>(at));
    case ValueType::kInt32: return integer(header.load<int32_t>(at));
    case ValueType::kInt64: return integer(header.load<int64_t>(at));
    case ValueType::kFloat32: return real(header.load<float>(at));
    case ValueType::kFloat64: return real(header.load<double>(at));
    case ValueType::kBool: return boolean(header.load<uint8_t>(at));
    case ValueType::kString: return text(text_at(header, at));
    case ValueType::kUint64: {
      const auto value = header.load<uint64_t>(at);
      return value > static_cast<uint64_t>(INT64_MAX) ? huge(value) : integer(static_cast<int64_t>(value));
    }
    case ValueType::kArray: break;
  }
  return {};
}

aprx_value array_value(const Entry& entry) {
  aprx_value out{};
  out.type = APRX_VALUE_ARRAY;
  out.count = entry.count;
  const bool has_item_type = entry.count > 0 && entry.item_type != ValueType::kArray;
  if (has_item_type) out.item_type = entry.holds_huge ? APRX_VALUE_UINT : facts(entry.item_type).type;
  format_border::put(out.type_name, "array of " + std::string(facts(entry.item_type).name));
  return out;
}

}  // namespace

Metadata read_metadata(HeaderBytes& header, uint64_t count) {
  header.require_room("key-value count", count, kLeastPairBytes, header.position() - sizeof count);
  Metadata metadata;
  for (uint64_t i = 0; i < count; ++i) {
    Entry entry = read_pair(header, i);
    std::string warning = oddity(header, entry);
    if (!warning.empty()) {
      metadata.warnings.push_back(std::move(warning));
      continue;
    }
    if (entry.type == ValueType::kBool && header.load<uint8_t>(entry.offset) > 1) {
      metadata.warnings.push_back("key " + std::string(header.text(entry.key)) + " is a bool of value " +
                                  number(header.load<uint8_t>(entry.offset)) + ", read as true");
    }
    metadata.entries.push_back(std::move(entry));
  }
  refuse_duplicates(header, metadata.entries);
  header.set_subject({});
  return metadata;
}

aprx_value value_of(const HeaderBytes& header, const Entry& entry) {
  if (entry.type == ValueType::kArray) return array_value(entry);
  aprx_value out = load_value(header, entry.type, entry.offset);
  format_border::put(out.type_name, facts(entry.type).name);
  return out;
}

aprx_value item_of(const HeaderBytes& header, const Entry& entry, uint64_t item) {
  if (item >= entry.count || entry.item_type == ValueType::kArray) {
    throw FormatError{APRX_BAD_CALL,
                      header.path(),
                      "key " + std::string(header.text(entry.key)),
                      "there is no item " + number(item),
                      {},
                      {}};
  }
  if (entry.item_type == ValueType::kString) return text(text_at(header, entry.items[item]));
  aprx_value out = load_value(header, entry.item_type, entry.offset + item * facts(entry.item_type).bytes);
  if (entry.holds_huge && out.type == APRX_VALUE_INT) out = huge(static_cast<uint64_t>(out.integer));
  return out;
}

const Entry* find(const HeaderBytes& header, const std::vector<Entry>& entries, std::string_view key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return header.text(entry.key) == key; });
  return found == entries.end() ? nullptr : &*found;
}

std::optional<uint64_t> unsigned_of(HeaderBytes& header, const std::vector<Entry>& entries,
                                    std::string_view key) {
  const Entry* entry = find(header, entries, key);
  if (entry == nullptr) return std::nullopt;
  const aprx_value value = value_of(header, *entry);
  if (value.type == APRX_VALUE_UINT) return value.unsigned_integer;
  header.set_subject("key " + std::string(key));
  if (value.type != APRX_VALUE_INT) {
    header.fail("its type is " + std::string(value.type_name), "an unsigned integer");
  }
  if (value.integer < 0) {
    header.fail("the value at byte " + number(entry->offset) + " is " + std::to_string(value.integer),
                "an unsigned integer");
  }
  return static_cast<uint64_t>(value.integer);
}

}  // namespace aprx::gguf
