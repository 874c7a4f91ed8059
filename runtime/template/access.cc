#include "runtime/template/access.h"

#include <algorithm>
#include <array>

#include "runtime/template/compare.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

constexpr std::array<std::string_view, 11> kForbidden = {"append", "clear",      "extend", "insert",
                                                         "pop",    "popitem",    "remove", "reverse",
                                                         "sort",   "setdefault", "update"};

const Builtin* find_method(const Value& value, std::string_view name) {
  if (value.text() != nullptr) return find_text_method(name);
  if (value.mapping() != nullptr) return find_mapping_method(name);
  if (value.sequence() != nullptr) return find_sequence_method(name);
  return nullptr;
}

// Templates must not change what they are given, nor reach into the engine.
bool is_forbidden(const Value& value, std::string_view name) {
  if (name.starts_with("__")) return true;
  const bool can_change = value.mapping() != nullptr || value.sequence() != nullptr;
  return can_change && std::find(kForbidden.begin(), kForbidden.end(), name) != kForbidden.end();
}

class BoundMethod : public Object {
 public:
  BoundMethod(Value self, const Builtin& method)
      : Object(depth_of(self) + 1), self_(std::move(self)), method_(method) {}
  [[nodiscard]] std::string type_name() const override { return "builtin_function_or_method"; }
  [[nodiscard]] bool is_callable() const override { return true; }
  Value call(Meter& meter, const Arguments& arguments) override {
    return run_builtin(meter, method_, self_, arguments);
  }

 private:
  Value self_;
  const Builtin& method_;
};

Value bound_method(Meter& meter, const Value& self, const Builtin& method) {
  if (depth_of(self) < kMaxValueDepth)
    return std::shared_ptr<Object>(std::make_shared<BoundMethod>(self, method));
  meter.fail("a value is nested too deeply");
  return {};
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string owner_of(const Value& value) { return value.is_none() ? "None" : type_name(value) + " object"; }

// Methods and attributes proper; nothing where the value has none of the name.
std::optional<Value> own_attribute(Meter& meter, const Value& value, std::string_view name) {
  if (const Builtin* method = find_method(value, name)) return bound_method(meter, value, *method);
  if (value.object() != nullptr) return value.object()->attribute(meter, name);
  const Sequence* sequence = value.sequence();
  if (sequence != nullptr && sequence->kind == SequenceKind::kGroup) {
    if (name == "grouper") return sequence->items[0];
    if (name == "list") return sequence->items[1];
  }
  if (!is_forbidden(value, name)) return std::nullopt;
  return make_undefined("access to attribute " + in_quotes(name) + " of " + in_quotes(type_name(value)) +
                        " object is unsafe: templates can't change values");
}

std::optional<Value> own_item(Meter& meter, const Value& value, const Value& key) {
  if (const Mapping* mapping = value.mapping()) {
    const Value* found = is_hashable(key) ? find_entry(meter, *mapping, key) : nullptr;
    return found != nullptr ? std::optional<Value>(*found) : std::nullopt;
  }
  const auto index = key.integer();
  const bool is_indexed = value.text() != nullptr || (value.sequence() != nullptr &&
                                                      value.sequence()->kind != SequenceKind::kGenerator &&
                                                      value.sequence()->kind != SequenceKind::kView);
  if (!index || !is_indexed) return std::nullopt;
  const Text* text = value.text();
  const int64_t length =
      text != nullptr && text->is_ascii ? static_cast<int64_t>(text->bytes.size()) : *length_of(value);
  const int64_t at = *index < 0 ? *index + length : *index;
  if (at < 0 || at >= length) return std::nullopt;
  if (text == nullptr) return value.sequence()->items[static_cast<size_t>(at)];
  meter.step(text->is_ascii ? 0 : text->bytes.size() / kBytesPerStep);
  const size_t offset =
      text->is_ascii ? static_cast<size_t>(at) : offset_of_point(text->bytes, static_cast<size_t>(at));
  return make_text(meter, text->bytes.substr(offset, point_length(text->bytes, offset)), text->is_markup);
}

// Positions that a slice takes, as Python's slice.indices() gives them.
struct Positions {
  int64_t start, stop, step;
};

Positions positions_of(const Slice& slice, int64_t length) {
  const int64_t step = slice.step.value_or(1);
  const int64_t lowest = step < 0 ? -1 : 0;
  const int64_t highest = step < 0 ? length - 1 : length;
  const auto clamped = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound) return otherwise;
    return std::clamp(*bound < 0 ? *bound + length : *bound, lowest, highest);
  };
  return {clamped(slice.start, step < 0 ? highest : lowest), clamped(slice.stop, step < 0 ? lowest : highest),
          step};
}

std::vector<size_t> indices_of(const Positions& at) {
  std::vector<size_t> indices;
  for (int64_t i = at.start; at.step > 0 ? i < at.stop : i > at.stop;) {
    indices.push_back(static_cast<size_t>(i));
    if (__builtin_add_overflow(i, at.step, &i)) break;
  }
  return indices;
}

Value slice_of_text(Meter& meter, const Text& text, const Positions& at) {
  std::string out;
  if (at.step == 1) {
    if (at.stop <= at.start) return make_text(meter, {}, text.is_markup);
    const size_t begin = offset_of_point(text.bytes, static_cast<size_t>(at.start));
    const auto rest = std::string_view(text.bytes).substr(begin);
    out = rest.substr(0, offset_of_point(rest, static_cast<size_t>(at.stop - at.start)));
    return make_text(meter, std::move(out), text.is_markup);
  }
  std::vector<std::string_view> points;
  if (!meter.fits(text.bytes.size() * sizeof(std::string_view))) return {};
  for (size_t i = 0; i < text.bytes.size(); i += point_length(text.bytes, i)) {
    points.push_back(std::string_view(text.bytes).substr(i, point_length(text.bytes, i)));
  }
  for (const size_t i : indices_of(at)) out += points[i];
  return make_text(meter, std::move(out), text.is_markup);
}

}  // namespace

Value attribute_of(Meter& meter, const Value& value, std::string_view name) {
  if (value.is_undefined()) meter.fail(value.why());
  // Only a name that no method has can be unsafe, and an item of that name is better than an error.
  if (value.mapping() != nullptr && find_mapping_method(name) == nullptr) {
    if (const Value* found = find_entry(meter, *value.mapping(), name)) return *found;
  }
  if (const auto own = own_attribute(meter, value, name)) return *own;
  return make_undefined(in_quotes(owner_of(value)) + " has no attribute " + in_quotes(name));
}

Value item_of(Meter& meter, const Value& value, const Value& key) {
  if (value.is_undefined()) meter.fail(value.why());
  if (const auto item = own_item(meter, value, key)) return *item;
  if (key.text() == nullptr)
    return make_undefined(owner_of(value) + " has no element " + repr_of(meter, key));
  if (const auto own = own_attribute(meter, value, key.text()->bytes)) return *own;
  return make_undefined(in_quotes(owner_of(value)) + " has no attribute " + in_quotes(key.text()->bytes));
}

Value slice_of(Meter& meter, const Value& value, const Slice& slice) {
  const Sequence* sequence = value.sequence();
  const bool is_sliced = sequence != nullptr && sequence->kind != SequenceKind::kGenerator &&
                         sequence->kind != SequenceKind::kView;
  if (value.is_undefined()) meter.fail(value.why());
  if (slice.step == 0) meter.fail("slice step cannot be zero");
  if (!meter.ok()) return {};
  if (value.text() == nullptr && !is_sliced) return make_undefined(owner_of(value) + " can't be sliced");
  if (value.text() != nullptr) meter.step(value.text()->bytes.size() / kBytesPerStep);
  const Positions at = positions_of(slice, *length_of(value));
  if (value.text() != nullptr) return slice_of_text(meter, *value.text(), at);
  Values items;
  for (const size_t i : indices_of(at)) items.push_back(sequence->items[i]);
  const bool is_tuple = sequence->kind == SequenceKind::kTuple || sequence->kind == SequenceKind::kGroup;
  return is_tuple ? make_tuple(meter, std::move(items)) : make_list(meter, std::move(items));
}

Value call_value(Meter& meter, const Value& callee, const Arguments& arguments) {
  if (!meter.ok()) return {};
  if (callee.object() != nullptr) return callee.object()->call(meter, arguments);
  meter.fail(callee.is_undefined() ? callee.why() : "'" + type_name(callee) + "' object is not callable");
  return {};
}

Value call_method(Meter& meter, const Value& value, std::string_view name, const Arguments& arguments) {
  if (const Builtin* method = find_method(value, name)) return run_builtin(meter, *method, value, arguments);
  return call_value(meter, attribute_of(meter, value, name), arguments);
}

}  // namespace aprx::jinja
