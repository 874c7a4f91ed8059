#include "runtime/template/compare.h"

#include <algorithm>
#include <cmath>

#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

bool equal_numbers(const Value& left, const Value& right) {
  if (!left.is_float() && !right.is_float()) return *left.integer() == *right.integer();
  return left.number() == right.number();
}

bool is_tuple(const Sequence& sequence) {
  return sequence.kind == SequenceKind::kTuple || sequence.kind == SequenceKind::kGroup;
}

bool equal_sequences(Meter& meter, const Sequence& left, const Sequence& right) {
  if (&left == &right) return true;
  if (left.kind == SequenceKind::kGenerator || right.kind == SequenceKind::kGenerator) return false;
  const bool same_type = left.kind == right.kind || (is_tuple(left) && is_tuple(right));
  const auto same = [&meter](const Value& a, const Value& b) { return equal(meter, a, b); };
  return same_type &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(), right.items.end(), same);
}

bool equal_mappings(Meter& meter, const Mapping& left, const Mapping& right) {
  if (left.entries.size() != right.entries.size()) return false;
  return std::all_of(left.entries.begin(), left.entries.end(), [&](const auto& entry) {
    const Value* other = find_entry(meter, right, entry.first);
    return other != nullptr && equal(meter, entry.second, *other);
  });
}

bool fail_order(Meter& meter, const Value& left, const Value& right, const char* operation) {
  meter.fail(std::string("'") + operation + "' not supported between instances of '" + type_name(left) +
             "' and '" + type_name(right) + "'");
  return false;
}

}  // namespace

bool equal(Meter& meter, const Value& left, const Value& right) {
  if (!meter.step()) return false;
  if (left.is_number() && right.is_number()) return equal_numbers(left, right);
  if (left.text() != nullptr && right.text() != nullptr) {
    meter.step(left.text()->bytes.size() / kBytesPerStep);
    return left.text()->bytes == right.text()->bytes;
  }
  if (left.sequence() != nullptr && right.sequence() != nullptr) {
    return equal_sequences(meter, *left.sequence(), *right.sequence());
  }
  if (left.mapping() != nullptr && right.mapping() != nullptr) {
    return equal_mappings(meter, *left.mapping(), *right.mapping());
  }
  if (left.object() != nullptr) return left.object() == right.object();
  return (left.is_none() && right.is_none()) || (left.is_undefined() && right.is_undefined());
}

bool is_less(Meter& meter, const Value& left, const Value& right, const char* operation) {
  if (!meter.step()) return false;
  for (const Value* side : {&left, &right}) {
    if (!side->is_undefined()) continue;
    meter.fail(side->why());
    return false;
  }
  if (left.is_number() && right.is_number()) {
    if (left.is_float() || right.is_float()) return left.number() < right.number();
    return *left.integer() < *right.integer();
  }
  if (left.text() != nullptr && right.text() != nullptr) {
    meter.step(left.text()->bytes.size() / kBytesPerStep);
    return left.text()->bytes < right.text()->bytes;  // the order of UTF-8 bytes is that of code points
  }
  const Sequence* a = left.sequence();
  const Sequence* b = right.sequence();
  const bool ordered =
      a != nullptr && b != nullptr &&
      ((is_tuple(*a) && is_tuple(*b)) || (a->kind == SequenceKind::kList && b->kind == SequenceKind::kList));
  if (!ordered) return fail_order(meter, left, right, operation);
  const size_t common = std::min(a->items.size(), b->items.size());
  for (size_t i = 0; i < common; ++i) {
    if (!equal(meter, a->items[i], b->items[i])) return is_less(meter, a->items[i], b->items[i], operation);
  }
  return a->items.size() < b->items.size();
}

bool contains(Meter& meter, const Value& container, const Value& item) {
  if (container.is_undefined()) return false;
  if (const Text* text = container.text()) {
    meter.step(text->bytes.size() / kBytesPerStep);
    if (item.text() != nullptr) return find_part(text->bytes, item.text()->bytes) != std::string_view::npos;
    meter.fail("'in <string>' requires string as left operand, not " + type_name(item));
    return false;
  }
  if (const Mapping* mapping = container.mapping()) {
    if (!is_hashable(item)) meter.fail("unhashable type: '" + type_name(item) + "'");
    return meter.ok() && find_entry(meter, *mapping, item) != nullptr;
  }
  if (const Sequence* sequence = container.sequence()) {
    return std::any_of(sequence->items.begin(), sequence->items.end(),
                       [&](const Value& each) { return equal(meter, each, item); });
  }
  meter.fail("argument of type '" + type_name(container) + "' is not iterable");
  return false;
}

const Value* find_entry(Meter& meter, const Mapping& mapping, std::string_view key) {
  meter.step(mapping.entries.size() / kItemsPerStep);
  const auto at = std::find_if(mapping.entries.begin(), mapping.entries.end(), [&](const auto& entry) {
    return entry.first.text() != nullptr && entry.first.text()->bytes == key;
  });
  return at != mapping.entries.end() ? &at->second : nullptr;
}

const Value* find_entry(Meter& meter, const Mapping& mapping, const Value& key) {
  if (key.text() != nullptr) return find_entry(meter, mapping, key.text()->bytes);
  const auto at = std::find_if(mapping.entries.begin(), mapping.entries.end(),
                               [&](const auto& entry) { return equal(meter, entry.first, key); });
  return at != mapping.entries.end() ? &at->second : nullptr;
}

void put_entry(Meter& meter, Entries& entries, Value key, Value value) {
  if (!is_hashable(key)) return meter.fail("unhashable type: '" + type_name(key) + "'");
  const auto same = std::find_if(entries.begin(), entries.end(),
                                 [&](const auto& entry) { return equal(meter, entry.first, key); });
  if (same != entries.end()) {
    same->second = std::move(value);
  } else {
    entries.emplace_back(std::move(key), std::move(value));
  }
}

}  // namespace aprx::jinja
