#include "runtime/template/format.h"

#include <algorithm>

#include "runtime/template/access.h"
#include "runtime/template/field_spec.h"
#include "runtime/template/number_text.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

class BraceFormatter {
 public:
  BraceFormatter(Meter& meter, std::string_view format, const Arguments& arguments)
      : meter_(meter), format_(format), arguments_(arguments) {}
  std::string run();

 private:
  void field(std::string_view inside);
  Value lookup(std::string_view path);
  Value base_value(std::string_view name);
  FieldSpec read_spec(std::string_view text);
  std::string formatted(const Value& value, std::string_view spec_text);

  Meter& meter_;
  std::string_view format_;
  const Arguments& arguments_;
  size_t next_ = 0;
  std::string out_;
};

std::string BraceFormatter::run() {
  for (size_t at = 0; at < format_.size() && meter_.step() && meter_.fits(out_.size());) {
    const char c = format_[at];
    if (c != '{' && c != '}') {
      const size_t end = std::min(format_.find_first_of("{}", at), format_.size());
      out_ += format_.substr(at, end - at);
      at = end;
    } else if (at + 1 < format_.size() && format_[at + 1] == c) {
      out_ += c;
      at += 2;
    } else {
      const size_t end = c == '{' ? format_.find('}', at) : std::string_view::npos;
      if (end == std::string_view::npos) meter_.fail(std::string("single '") + c + "' in a format string");
      if (!meter_.ok()) break;
      field(format_.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return std::move(out_);
}

Value BraceFormatter::base_value(std::string_view name) {
  const bool is_number = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) {
    const auto given = name.empty() ? std::nullopt : parse_integer(name, 10);
    const size_t index = name.empty() ? next_++ : static_cast<size_t>(given.value_or(INT64_MAX));
    if (index < arguments_.positional.size()) return arguments_.positional[index];
    meter_.fail("a format string asks for argument " + std::to_string(index) + ", which is absent");
    return {};
  }
  for (const auto& [key, value] : arguments_.named) {
    if (key == name) return value;
  }
  meter_.fail("a format string asks for argument '" + std::string(name) + "', which is absent");
  return {};
}

Value BraceFormatter::lookup(std::string_view path) {
  size_t at = std::min(path.find_first_of(".["), path.size());
  Value value = base_value(path.substr(0, at));
  while (at < path.size() && meter_.ok()) {
    const bool is_item = path[at] == '[';
    const size_t end = std::min(is_item ? path.find(']', at) : path.find_first_of(".[", at + 1), path.size());
    const std::string_view name = path.substr(at + 1, end - at - 1);
    const auto index = is_item ? parse_integer(name, 10) : std::nullopt;
    value = !is_item ? attribute_of(meter_, value, name)
                     : item_of(meter_, value, index ? Value(*index) : make_text(meter_, std::string(name)));
    at = end + (is_item ? 1 : 0);
  }
  return value;
}

void BraceFormatter::field(std::string_view inside) {
  const size_t name_end = std::min(inside.find_first_of("!:"), inside.size());
  Value value = lookup(inside.substr(0, name_end));
  std::string_view rest = inside.substr(name_end);
  if (rest.starts_with('!')) {
    const char conversion = rest.size() > 1 ? rest[1] : '\0';
    if (conversion != 's' && conversion != 'r')
      return meter_.fail("a format string has an unknown conversion");
    value = make_text(meter_, conversion == 'r' ? repr_of(meter_, value) : str_of(meter_, value));
    rest.remove_prefix(2);
  }
  if (!rest.empty() && rest[0] != ':')
    return meter_.fail("expected ':' after a conversion in a format string");
  out_ += formatted(value, rest.empty() ? rest : rest.substr(1));
}

FieldSpec BraceFormatter::read_spec(std::string_view text) {
  FieldSpec spec;
  size_t at = 0;
  const size_t first = text.empty() ? 0 : point_length(text, 0);
  const bool has_fill = first < text.size() && is_one_of(text[first], "<>^=");
  if (has_fill) {
    spec.fill = text.substr(0, first);
    spec.alignment = text[first];
    at = first + 1;
  } else if (!text.empty() && is_one_of(text[0], "<>^=")) {
    spec.alignment = text[at++];
  }
  if (at < text.size() && is_one_of(text[at], "+- ")) spec.sign = text[at++];
  if (at < text.size() && text[at] == '#') spec.is_alternate = text[at++] == '#';
  if (at < text.size() && text[at] == '0') {
    if (spec.alignment == 0) spec.alignment = '=';
    if (!has_fill) spec.fill = "0";
  }
  spec.width = read_number(meter_, text, at, kMaxFieldWidth);
  if (at < text.size() && text[at] == ',') spec.has_thousands = text[at++] == ',';
  read_precision(meter_, text, at, spec);
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) meter_.fail("invalid format specifier '" + std::string(text) + "'");
  return spec;
}

std::string BraceFormatter::formatted(const Value& value, std::string_view spec_text) {
  if (spec_text.empty()) return str_of(meter_, value);
  const FieldSpec spec = read_spec(spec_text);
  if (!meter_.ok()) return {};
  if (value.text() != nullptr && (spec.type == 0 || spec.type == 's') && spec.alignment != '=') {
    return text_text(value.text()->bytes, spec);
  }
  if (value.integer() && (spec.type == 0 || is_one_of(spec.type, "dxXob")))
    return integer_text(*value.integer(), spec);
  if (value.is_number() && (is_one_of(spec.type, "eEfFgG%") || (spec.type == 0 && value.is_float()))) {
    return float_text(value.number(), spec);
  }
  meter_.fail("the format specifier '" + std::string(spec_text) + "' does not fit a value of type " +
              type_name(value));
  return {};
}

}  // namespace

Value format_braces(Meter& meter, const Text& format, const Arguments& arguments) {
  BraceFormatter formatter(meter, format.bytes, arguments);
  return make_text(meter, formatter.run(), format.is_markup);
}

}  // namespace aprx::jinja
