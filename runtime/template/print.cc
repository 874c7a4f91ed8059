#include "runtime/template/print.h"

#include <array>
#include <charconv>
#include <cmath>

#include "runtime/template/object.h"
#include "runtime/template/text.h"
#include "runtime/template/unicode.h"

namespace aprx::jinja {

namespace {

std::string hex(uint32_t number, int digits) {
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789abcdef"[(number >> shift) & 0xF];
  return out;
}

constexpr size_t kLongestEscape = 4;  // "\x00"

std::string escaped_point(char32_t c) {
  switch (c) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    case '\\': return "\\\\";
    default: break;
  }
  if (c < 0x100) return "\\x" + hex(c, 2);
  return c < 0x10000 ? "\\u" + hex(c, 4) : "\\U" + hex(c, 8);
}

// Appends the reprs of nested values; stops growing the text once the render has failed.
class Printer {
 public:
  explicit Printer(Meter& meter) : meter_(meter) {}
  void append(const Value& value, int depth);
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void append_items(const Values& items, int depth);
  void append_sequence(const Sequence& sequence, int depth);
  void append_mapping(const Mapping& mapping, int depth);
  void append_object(Object& object, int depth);

  Meter& meter_;
  std::string out_;
};

void Printer::append(const Value& value, int depth) {
  // Namespaces can hold themselves.
  if (depth > kMaxValueDepth) meter_.fail("a value is nested too deeply to be printed");
  if (!meter_.fits(out_.size())) return;
  if (value.is_undefined()) {
    out_ += "Undefined";
  } else if (value.is_none()) {
    out_ += "None";
  } else if (value.is_bool()) {
    out_ += *value.integer() != 0 ? "True" : "False";
  } else if (value.is_int()) {
    out_ += std::to_string(*value.integer());
  } else if (value.is_float()) {
    out_ += repr_of_float(value.number());
  } else if (const Text* text = value.text()) {
    if (!meter_.fits(out_.size() + text->bytes.size() * kLongestEscape)) return;
    const std::string in_quotes = repr_of_text(text->bytes);
    out_ += text->is_markup ? "Markup(" + in_quotes + ")" : in_quotes;
  } else if (const Sequence* sequence = value.sequence()) {
    append_sequence(*sequence, depth + 1);
  } else if (const Mapping* mapping = value.mapping()) {
    append_mapping(*mapping, depth + 1);
  } else {
    append_object(*value.object(), depth + 1);
  }
}

void Printer::append_items(const Values& items, int depth) {
  for (size_t i = 0; i < items.size() && meter_.step(); ++i) {
    if (i > 0) out_ += ", ";
    append(items[i], depth);
  }
}

void Printer::append_sequence(const Sequence& sequence, int depth) {
  switch (sequence.kind) {
    case SequenceKind::kList:
      out_ += '[';
      append_items(sequence.items, depth);
      out_ += ']';
      return;
    case SequenceKind::kTuple:
    case SequenceKind::kGroup:
      out_ += '(';
      append_items(sequence.items, depth);
      out_ += sequence.items.size() == 1 ? ",)" : ")";
      return;
    case SequenceKind::kView:
      out_ += sequence.label + "([";
      append_items(sequence.items, depth);
      out_ += "])";
      return;
    case SequenceKind::kRange: out_ += sequence.label; return;
    case SequenceKind::kGenerator: out_ += "<generator object>"; return;
  }
}

void Printer::append_mapping(const Mapping& mapping, int depth) {
  out_ += '{';
  for (size_t i = 0; i < mapping.entries.size() && meter_.step(); ++i) {
    if (i > 0) out_ += ", ";
    append(mapping.entries[i].first, depth);
    out_ += ": ";
    append(mapping.entries[i].second, depth);
  }
  out_ += '}';
}

void Printer::append_object(Object& object, int depth) {
  const auto* space = dynamic_cast<const Namespace*>(&object);
  if (space == nullptr) {
    out_ += "<" + object.type_name() + ">";
    return;
  }
  out_ += "<Namespace {";
  for (size_t i = 0; i < space->attributes().size() && meter_.ok(); ++i) {
    const auto& [name, value] = space->attributes()[i];
    out_ += (i > 0 ? ", " : "") + repr_of_text(name) + ": ";
    append(value, depth);
  }
  out_ += "}>";
}

}  // namespace

std::string str_of(Meter& meter, const Value& value) {
  if (value.text() != nullptr) return value.text()->bytes;
  if (value.is_undefined()) return {};
  return repr_of(meter, value);
}

std::string repr_of(Meter& meter, const Value& value) {
  Printer printer(meter);
  printer.append(value, 0);
  return printer.take();
}

std::string repr_of_text(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (size_t at = 0; at < text.size(); at += point_length(text, at)) {
    const char32_t c = point_at(text, at);
    if (c == static_cast<unsigned char>(quote)) {
      out += {'\\', quote};
    } else if (c == '\\' || !is_printable(c)) {
      out += escaped_point(c);
    } else {
      out += text.substr(at, point_length(text, at));
    }
  }
  return out + quote;
}

std::string repr_of_float(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 512> buffer;
  const double size = std::fabs(number);
  const bool plain = number == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format).ptr;
  std::string out(buffer.data(), end);
  if (plain && out.find('.') == std::string::npos) out += ".0";
  return out;
}

}  // namespace aprx::jinja
