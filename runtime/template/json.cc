#include "runtime/template/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/utf8.h"
#include "runtime/template/compare.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

using Json = nlohmann::ordered_json;

std::string valid_text(const std::string& text) {
  return is_valid_utf8(text) ? text : replace_invalid_utf8(text);
}

Value from_unsigned(Meter& meter, uint64_t number) {
  if (number <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return static_cast<int64_t>(number);
  meter.fail("the number " + std::to_string(number) + " does not fit in 64 bits");
  return {};
}

Value from_json(Meter& meter, const Json& json, int depth) {
  if (depth > kMaxValueDepth)
    meter.fail("a value is nested more than " + std::to_string(kMaxValueDepth) + " levels deep");
  if (!meter.ok()) return {};
  switch (json.type()) {
    case Json::value_t::boolean: return json.get<bool>();
    case Json::value_t::number_integer: return json.get<int64_t>();
    case Json::value_t::number_unsigned: return from_unsigned(meter, json.get<uint64_t>());
    case Json::value_t::number_float: return json.get<double>();
    case Json::value_t::string: return make_text(meter, valid_text(json.get_ref<const std::string&>()));
    case Json::value_t::array: {
      Values items;
      for (const Json& item : json) items.push_back(from_json(meter, item, depth + 1));
      return make_list(meter, std::move(items));
    }
    case Json::value_t::object: {
      Entries entries;
      for (const auto& [key, item] : json.items()) {
        Value name = make_text(meter, valid_text(key));
        entries.emplace_back(std::move(name), from_json(meter, item, depth + 1));
      }
      return make_mapping(meter, std::move(entries));
    }
    default: return None{};
  }
}

constexpr size_t kLongestEscape = 6;  // "\u0000"

std::string hex4(uint32_t unit) {
  std::string out = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[(unit >> shift) & 0xF];
  return out;
}

std::string escaped_beyond_ascii(char32_t c) {
  if (c < 0x10000) return hex4(c);
  const uint32_t offset = c - 0x10000;
  return hex4(0xD800 + (offset >> 10)) + hex4(0xDC00 + (offset & 0x3FF));
}

void append_quoted(std::string& out, std::string_view text, bool is_ascii) {
  out += '"';
  for (size_t at = 0; at < text.size(); at += point_length(text, at)) {
    const char32_t c = point_at(text, at);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\f': out += "\\f"; break;
      case '\b': out += "\\b"; break;
      default:
        if (c < 0x20) {
          out += hex4(c);
        } else if (c >= 0x7F && is_ascii) {
          out += escaped_beyond_ascii(c);
        } else {
          out += text.substr(at, point_length(text, at));
        }
    }
  }
  out += '"';
}

std::string json_float(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  return repr_of_float(number);
}

class JsonWriter {
 public:
  JsonWriter(Meter& meter, const JsonStyle& style) : meter_(meter), style_(style) {}
  void append(const Value& value, int level);
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  bool append_scalar(const Value& value);
  void append_array(const Values& items, int level);
  void append_object(Entries entries, int level);
  void append_key(const Value& key);
  void break_line(int level);

  Meter& meter_;
  const JsonStyle& style_;
  std::string out_;
};

bool JsonWriter::append_scalar(const Value& value) {
  if (value.is_none()) {
    out_ += "null";
  } else if (value.is_bool()) {
    out_ += *value.integer() != 0 ? "true" : "false";
  } else if (value.is_int()) {
    out_ += std::to_string(*value.integer());
  } else if (value.is_float()) {
    out_ += json_float(value.number());
  } else if (value.text() != nullptr) {
    if (!meter_.fits(out_.size() + value.text()->bytes.size() * kLongestEscape)) return true;
    append_quoted(out_, value.text()->bytes, style_.is_ascii);
  } else {
    return false;
  }
  return true;
}

void JsonWriter::append(const Value& value, int level) {
  if (!meter_.fits(out_.size() +
                   (style_.indent ? style_.indent->size() * static_cast<size_t>(level + 1) : 0)))
    return;
  if (append_scalar(value)) return;
  if (value.mapping() != nullptr) return append_object(value.mapping()->entries, level + 1);
  const Sequence* sequence = value.sequence();
  if (sequence != nullptr && sequence->kind <= SequenceKind::kGroup)
    return append_array(sequence->items, level + 1);
  meter_.fail("object of type " + type_name(value) + " is not JSON serializable");
}

void JsonWriter::break_line(int level) {
  if (!style_.indent) return;
  out_ += '\n';
  for (int i = 0; i < level; ++i) out_ += *style_.indent;
}

void JsonWriter::append_array(const Values& items, int level) {
  out_ += '[';
  for (size_t i = 0; i < items.size() && meter_.step(); ++i) {
    if (i > 0) out_ += style_.item_separator;
    break_line(level);
    append(items[i], level);
  }
  if (!items.empty()) break_line(level - 1);
  out_ += ']';
}

void JsonWriter::append_key(const Value& key) {
  if (key.text() != nullptr) return append_quoted(out_, key.text()->bytes, style_.is_ascii);
  out_ += '"';
  if (!append_scalar(key)) meter_.fail("keys must be str, int, float, bool or None, not " + type_name(key));
  out_ += '"';
}

void JsonWriter::append_object(Entries entries, int level) {
  if (style_.has_sorted_keys) {
    std::stable_sort(entries.begin(), entries.end(),
                     [this](const auto& a, const auto& b) { return is_less(meter_, a.first, b.first); });
  }
  out_ += '{';
  for (size_t i = 0; i < entries.size() && meter_.step(); ++i) {
    if (i > 0) out_ += style_.item_separator;
    break_line(level);
    append_key(entries[i].first);
    out_ += style_.key_separator;
    append(entries[i].second, level);
  }
  if (!entries.empty()) break_line(level - 1);
  out_ += '}';
}

}  // namespace

Value value_from_json(Meter& meter, const nlohmann::ordered_json& json) { return from_json(meter, json, 0); }

std::string to_json(Meter& meter, const Value& value, const JsonStyle& style) {
  JsonWriter writer(meter, style);
  writer.append(value, 0);
  return writer.take();
}

}  // namespace aprx::jinja
