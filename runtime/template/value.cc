#include "runtime/template/value.h"

#include <algorithm>

#include "runtime/template/object.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

const Text* Value::text() const {
  const auto* held = std::get_if<std::shared_ptr<const Text>>(&data_);
  return held != nullptr ? held->get() : nullptr;
}

Sequence* Value::sequence() const {
  const auto* held = std::get_if<std::shared_ptr<Sequence>>(&data_);
  return held != nullptr ? held->get() : nullptr;
}

const Mapping* Value::mapping() const {
  const auto* held = std::get_if<std::shared_ptr<const Mapping>>(&data_);
  return held != nullptr ? held->get() : nullptr;
}

Object* Value::object() const {
  const auto* held = std::get_if<std::shared_ptr<Object>>(&data_);
  return held != nullptr ? held->get() : nullptr;
}

std::optional<int64_t> Value::integer() const {
  if (const auto* flag = std::get_if<bool>(&data_)) return *flag ? 1 : 0;
  if (const auto* number = std::get_if<int64_t>(&data_)) return *number;
  return std::nullopt;
}

double Value::number() const {
  if (const auto* real = std::get_if<double>(&data_)) return *real;
  return static_cast<double>(integer().value_or(0));
}

std::string Value::why() const {
  const auto* undefined = std::get_if<Undefined>(&data_);
  return undefined != nullptr && undefined->why ? *undefined->why : "a value is undefined";
}

Text::Text(Meter* meter, std::string text, bool markup)
    : bytes(std::move(text)),
      is_markup(markup),
      is_ascii(std::all_of(bytes.begin(), bytes.end(),
                           [](char c) { return static_cast<unsigned char>(c) < 0x80; })),
      charge(meter, sizeof(Text) + bytes.size()) {}

Sequence::Sequence(Meter* meter, SequenceKind kind_of, Values values, std::string label_of, int depth_of)
    : kind(kind_of),
      items(std::move(values)),
      is_hashable(kind != SequenceKind::kList && kind != SequenceKind::kView &&
                  std::all_of(items.begin(), items.end(), jinja::is_hashable)),
      label(std::move(label_of)),
      depth(depth_of),
      charge(meter, sizeof(Sequence) + items.size() * sizeof(Value)) {}

Mapping::Mapping(Meter* meter, Entries list, int depth_of)
    : entries(std::move(list)),
      depth(depth_of),
      charge(meter, sizeof(Mapping) + entries.size() * 2 * sizeof(Value)) {}

int depth_of(const Value& value) {
  if (value.sequence() != nullptr) return value.sequence()->depth;
  if (value.mapping() != nullptr) return value.mapping()->depth;
  if (value.object() != nullptr) return value.object()->depth();
  return 0;
}

namespace {

bool is_too_deep(Meter& meter, int depth) {
  if (depth <= kMaxValueDepth) return false;
  meter.fail("a value is nested more than " + std::to_string(kMaxValueDepth) + " levels deep");
  return true;
}

}  // namespace

Value make_text(Meter& meter, std::string bytes, bool is_markup) {
  return std::make_shared<const Text>(&meter, std::move(bytes), is_markup);
}

Value literal_text(std::string bytes) {
  return std::make_shared<const Text>(nullptr, std::move(bytes), false);
}

Value make_sequence(Meter& meter, SequenceKind kind, Values items, std::string label) {
  int depth = 1;
  for (const Value& item : items) depth = std::max(depth, depth_of(item) + 1);
  if (is_too_deep(meter, depth)) return {};
  return std::make_shared<Sequence>(&meter, kind, std::move(items), std::move(label), depth);
}

Value make_list(Meter& meter, Values items) {
  return make_sequence(meter, SequenceKind::kList, std::move(items));
}
Value make_tuple(Meter& meter, Values items) {
  return make_sequence(meter, SequenceKind::kTuple, std::move(items));
}
Value make_generator(Meter& meter, Values items) {
  return make_sequence(meter, SequenceKind::kGenerator, std::move(items));
}

Value make_mapping(Meter& meter, Entries entries) {
  int depth = 1;
  for (const auto& [key, value] : entries) depth = std::max({depth, depth_of(key) + 1, depth_of(value) + 1});
  if (is_too_deep(meter, depth)) return {};
  return std::shared_ptr<const Mapping>(std::make_shared<Mapping>(&meter, std::move(entries), depth));
}

Value make_undefined(std::string why) {
  return Undefined{std::make_shared<const std::string>(std::move(why))};
}

std::string type_name(const Value& value) {
  if (value.is_undefined()) return "Undefined";
  if (value.is_none()) return "NoneType";
  if (value.is_bool()) return "bool";
  if (value.is_int()) return "int";
  if (value.is_float()) return "float";
  if (value.text() != nullptr) return value.text()->is_markup ? "Markup" : "str";
  if (value.mapping() != nullptr) return "dict";
  if (value.object() != nullptr) return value.object()->type_name();
  switch (value.sequence()->kind) {
    case SequenceKind::kList: return "list";
    case SequenceKind::kTuple: return "tuple";
    case SequenceKind::kGroup: return "_GroupTuple";
    case SequenceKind::kView: return value.sequence()->label;
    case SequenceKind::kRange: return "range";
    case SequenceKind::kGenerator: return "generator";
  }
  return "object";
}

bool is_truthy(const Value& value) {
  if (value.is_undefined() || value.is_none()) return false;
  if (value.is_number()) return value.is_float() ? value.number() != 0.0 : *value.integer() != 0;
  if (value.text() != nullptr) return !value.text()->bytes.empty();
  if (value.mapping() != nullptr) return !value.mapping()->entries.empty();
  const Sequence* sequence = value.sequence();
  return sequence == nullptr || sequence->kind == SequenceKind::kGenerator || !sequence->items.empty();
}

bool is_hashable(const Value& value) {
  return value.mapping() == nullptr && (value.sequence() == nullptr || value.sequence()->is_hashable);
}

Values items_of(Meter& meter, const Value& value) {
  if (value.is_undefined()) return {};
  if (Sequence* sequence = value.sequence()) {
    if (!meter.fits(sequence->items.size() * sizeof(Value))) return {};
    meter.step(sequence->items.size() / kItemsPerStep);
    if (sequence->kind == SequenceKind::kGenerator) return std::exchange(sequence->items, {});
    return sequence->items;
  }
  Values items;
  if (const Mapping* mapping = value.mapping()) {
    if (!meter.fits(mapping->entries.size() * sizeof(Value))) return {};
    for (const auto& entry : mapping->entries) items.push_back(entry.first);
    return items;
  }
  const Text* text = value.text();
  if (text == nullptr) {
    meter.fail("'" + type_name(value) + "' object is not iterable");
    return {};
  }
  if (!meter.fits(count_points(text->bytes) * (sizeof(Value) + sizeof(Text)))) return {};
  for (size_t at = 0; at < text->bytes.size();) {
    const size_t length = point_length(text->bytes, at);
    items.push_back(make_text(meter, text->bytes.substr(at, length), text->is_markup));
    at += length;
  }
  return items;
}

std::optional<int64_t> length_of(const Value& value) {
  if (value.is_undefined()) return 0;
  if (value.text() != nullptr) return static_cast<int64_t>(count_points(value.text()->bytes));
  if (value.mapping() != nullptr) return static_cast<int64_t>(value.mapping()->entries.size());
  const Sequence* sequence = value.sequence();
  if (sequence == nullptr || sequence->kind == SequenceKind::kGenerator) return std::nullopt;
  return static_cast<int64_t>(sequence->items.size());
}

}  // namespace aprx::jinja
