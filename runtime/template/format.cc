#include "runtime/template/format.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/utf8.h"
#include "runtime/template/access.h"
#include "runtime/template/compare.h"
#include "runtime/template/number_text.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

std::string padded(std::string_view text, int64_t width, std::string_view fill, char alignment) {
  const int64_t missing = width - static_cast<int64_t>(count_points(text));
  if (missing <= 0) return std::string(text);
  int64_t before = 0;
  if (alignment == '>') before = missing;
  // Python puts the odd one on the left where the width is odd.
  if (alignment == '^') before = missing / 2 + (missing & width & 1);
  return repeated(fill, static_cast<size_t>(before)) + std::string(text) +
         repeated(fill, static_cast<size_t>(missing - before));
}

namespace {

constexpr int64_t kMaxWidth = 100'000;

// One field, in the terms that both ways share.
struct Spec {
  std::string fill = " ";
  char alignment = 0;   // '<', '>', '^', '=' (padding after the sign), or 0 for the usual one
  char sign = '-';      // '+', ' ' or '-'
  bool is_alternate = false;
  bool has_thousands = false;
  int64_t width = 0;
  int precision = -1;
  char type = 0;
};

std::string aligned(std::string_view sign, std::string_view body, const Spec& spec, char usual) {
  const char alignment = spec.alignment != 0 ? spec.alignment : usual;
  if (alignment != '=') {
    const std::string whole = std::string(sign) + std::string(body);
    if (alignment != '^') return padded(whole, spec.width, spec.fill, alignment);
    const int64_t missing = std::max<int64_t>(0, spec.width - static_cast<int64_t>(count_points(whole)));
    return repeated(spec.fill, static_cast<size_t>(missing / 2)) + whole +
           repeated(spec.fill, static_cast<size_t>(missing - missing / 2));
  }
  return std::string(sign) + padded(body, spec.width - static_cast<int64_t>(sign.size()), spec.fill, '>');
}

std::string sign_text(bool is_negative, const Spec& spec) {
  if (is_negative) return "-";
  return spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string integer_text(int64_t number, const Spec& spec) {
  const bool is_hex = spec.type == 'x' || spec.type == 'X';
  const int base = is_hex ? 16 : spec.type == 'o' ? 8 : spec.type == 'b' ? 2 : 10;
  std::string digits = digits_of(number, base, spec.type == 'X');
  if (spec.has_thousands) digits = with_thousands(digits);
  std::string sign = sign_text(number < 0, spec);
  if (spec.is_alternate && base != 10) sign += std::string("0") + spec.type;
  return aligned(sign, digits, spec, '>');
}

std::string float_text(double number, const Spec& spec) {
  std::string digits;
  if (spec.type == 0 && spec.precision < 0) {
    digits = repr_of_float(std::signbit(number) ? -number : number);
  } else if (spec.type == '%') {
    digits = fixed_text(number * 100, 'f', spec.precision < 0 ? 6 : spec.precision) + "%";
  } else {
    digits = fixed_text(number, spec.type == 0 ? 'g' : spec.type, spec.precision < 0 ? 6 : spec.precision);
  }
  if (spec.has_thousands) digits = with_thousands(digits);
  return aligned(sign_text(std::signbit(number), spec), digits, spec, '>');
}

std::string text_text(std::string_view text, const Spec& spec) {
  if (spec.precision >= 0) text = text.substr(0, offset_of_point(text, static_cast<size_t>(spec.precision)));
  return aligned("", text, spec, '<');
}

bool is_one_of(char c, std::string_view set) { return c != 0 && set.find(c) != std::string_view::npos; }

// Reads digits at `at`; a fault for a number that is out of all proportion.
int64_t read_number(Meter& meter, std::string_view text, size_t& at, int64_t most) {
  int64_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = std::min<int64_t>(most + 1, number * 10 + (text[at] - '0'));
  }
  if (number <= most) return number;
  meter.fail("a format specification asks for more than " + std::to_string(most) + " characters");
  return 0;
}

void read_precision(Meter& meter, std::string_view text, size_t& at, Spec& spec) {
  if (at >= text.size() || text[at] != '.') return;
  ++at;
  spec.precision = static_cast<int>(read_number(meter, text, at, kMaxPrecision));
}

// ---- '%' ----

class PercentFormatter {
 public:
  PercentFormatter(Meter& meter, const Text& format, const Value& values)
      : meter_(meter), format_(format.bytes), values_(values) {
    const Sequence* sequence = values.sequence();
    is_tuple_ = sequence != nullptr && sequence->kind == SequenceKind::kTuple;
  }
  std::string run();

 private:
  void convert();
  Value next_value();
  Value named_value();
  std::string converted(const Value& value, Spec spec);

  Meter& meter_;
  std::string_view format_;
  const Value& values_;
  bool is_tuple_ = false;
  bool is_named_ = false;
  size_t at_ = 0;
  size_t used_ = 0;
  std::string out_;
};

std::string PercentFormatter::run() {
  while (at_ < format_.size() && meter_.step() && meter_.fits(out_.size())) {
    const size_t percent = std::min(format_.find('%', at_), format_.size());
    out_ += format_.substr(at_, percent - at_);
    at_ = percent + 1;
    if (percent < format_.size()) convert();
  }
  const bool takes_rest = is_named_ || values_.mapping() != nullptr ||
                          (values_.sequence() != nullptr && !is_tuple_ && used_ == 0);
  const size_t available = is_tuple_ ? values_.sequence()->items.size() : 1;
  if (!takes_rest && used_ < available) meter_.fail("not all arguments converted during string formatting");
  return std::move(out_);
}

Value PercentFormatter::next_value() {
  const size_t index = used_++;
  if (is_tuple_ && index < values_.sequence()->items.size()) return values_.sequence()->items[index];
  if (!is_tuple_ && index == 0) return values_;
  meter_.fail("not enough arguments for format string");
  return {};
}

Value PercentFormatter::named_value() {
  const size_t end = format_.find(')', at_);
  const Mapping* mapping = values_.mapping();
  if (end == std::string_view::npos || mapping == nullptr) {
    meter_.fail(mapping == nullptr ? "format requires a mapping" : "incomplete format key");
    at_ = format_.size();
    return {};
  }
  const std::string_view key = format_.substr(at_, end - at_);
  at_ = end + 1;
  is_named_ = true;
  const Value* found = find_entry(meter_, *mapping, key);
  if (found == nullptr) meter_.fail("the format names the key '" + std::string(key) + "', which is absent");
  return found != nullptr ? *found : Value();
}

void PercentFormatter::convert() {
  Value value;
  const bool has_key = at_ < format_.size() && format_[at_] == '(';
  if (has_key) {
    ++at_;
    value = named_value();
  }
  Spec spec;
  for (; at_ < format_.size() && is_one_of(format_[at_], "-+ #0"); ++at_) {
    const char flag = format_[at_];
    if (flag == '-') spec.alignment = '<';
    if (flag == '0' && spec.alignment == 0) spec.alignment = '=';
    if (flag == '#') spec.is_alternate = true;
    if (flag == '+' || (flag == ' ' && spec.sign != '+')) spec.sign = flag;
  }
  spec.width = read_number(meter_, format_, at_, kMaxWidth);
  read_precision(meter_, format_, at_, spec);
  if (at_ >= format_.size()) return meter_.fail("incomplete format");
  spec.type = format_[at_++];
  if (spec.type == '%') {
    out_ += '%';
    return;
  }
  if (!has_key) value = next_value();
  if (meter_.ok()) out_ += converted(value, std::move(spec));
}

std::string PercentFormatter::converted(const Value& value, Spec spec) {
  if (value.is_undefined() && spec.type != 's' && spec.type != 'r') meter_.fail(value.why());
  const bool pads_zeros = spec.alignment == '=';
  if (spec.alignment == 0 || pads_zeros) spec.alignment = '>';
  if (spec.type == 's') return text_text(str_of(meter_, value), spec);
  if (spec.type == 'r') return text_text(repr_of(meter_, value), spec);
  if (spec.type == 'c' && value.text() != nullptr) return text_text(value.text()->bytes, spec);
  if (pads_zeros) {
    spec.alignment = '=';
    spec.fill = "0";
  }
  if (is_one_of(spec.type, "diuxXo") && value.is_number() && (value.integer() || is_one_of(spec.type, "diu"))) {
    const double whole = value.number();
    if (!value.integer() && !(whole > -9e18 && whole < 9e18)) meter_.fail("an integer does not fit in 64 bits");
    return meter_.ok() ? integer_text(value.integer() ? *value.integer() : static_cast<int64_t>(whole), spec) : "";
  }
  if (is_one_of(spec.type, "eEfFgG") && value.is_number()) return float_text(value.number(), spec);
  meter_.fail(std::string("%") + spec.type + " can't format " + type_name(value));
  return {};
}

// ---- '{}' ----

class BraceFormatter {
 public:
  BraceFormatter(Meter& meter, std::string_view format, const Arguments& arguments)
      : meter_(meter), format_(format), arguments_(arguments) {}
  std::string run();

 private:
  void field(std::string_view inside);
  Value lookup(std::string_view path);
  Value base_value(std::string_view name);
  Spec read_spec(std::string_view text);
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
    if (conversion != 's' && conversion != 'r') return meter_.fail("a format string has an unknown conversion");
    value = make_text(meter_, conversion == 'r' ? repr_of(meter_, value) : str_of(meter_, value));
    rest.remove_prefix(2);
  }
  if (!rest.empty() && rest[0] != ':') return meter_.fail("expected ':' after a conversion in a format string");
  out_ += formatted(value, rest.empty() ? rest : rest.substr(1));
}

Spec BraceFormatter::read_spec(std::string_view text) {
  Spec spec;
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
  spec.width = read_number(meter_, text, at, kMaxWidth);
  if (at < text.size() && text[at] == ',') spec.has_thousands = text[at++] == ',';
  read_precision(meter_, text, at, spec);
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) meter_.fail("invalid format specifier '" + std::string(text) + "'");
  return spec;
}

std::string BraceFormatter::formatted(const Value& value, std::string_view spec_text) {
  if (spec_text.empty()) return str_of(meter_, value);
  const Spec spec = read_spec(spec_text);
  if (!meter_.ok()) return {};
  if (value.text() != nullptr && (spec.type == 0 || spec.type == 's') && spec.alignment != '=') {
    return text_text(value.text()->bytes, spec);
  }
  if (value.integer() && (spec.type == 0 || is_one_of(spec.type, "dxXob"))) return integer_text(*value.integer(), spec);
  if (value.is_number() && (is_one_of(spec.type, "eEfFgG%") || (spec.type == 0 && value.is_float()))) {
    return float_text(value.number(), spec);
  }
  meter_.fail("the format specifier '" + std::string(spec_text) + "' does not fit a value of type " + type_name(value));
  return {};
}

}  // namespace

Value format_percent(Meter& meter, const Text& format, const Value& values) {
  PercentFormatter formatter(meter, format, values);
  return make_text(meter, formatter.run(), format.is_markup);
}

Value format_braces(Meter& meter, const Text& format, const Arguments& arguments) {
  BraceFormatter formatter(meter, format.bytes, arguments);
  return make_text(meter, formatter.run(), format.is_markup);
}

}  // namespace aprx::jinja
