#include "runtime/template/field_spec.h"

#include <algorithm>
#include <cmath>

#include "runtime/template/format.h"
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

std::string aligned(std::string_view sign, std::string_view body, const FieldSpec& spec, char usual) {
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

std::string sign_text(bool is_negative, const FieldSpec& spec) {
  if (is_negative) return "-";
  return spec.sign == '-' ? "" : std::string(1, spec.sign);
}

}  // namespace

std::string integer_text(int64_t number, const FieldSpec& spec) {
  const bool is_hex = spec.type == 'x' || spec.type == 'X';
  const int base = is_hex ? 16 : spec.type == 'o' ? 8 : spec.type == 'b' ? 2 : 10;
  std::string digits = digits_of(number, base, spec.type == 'X');
  if (spec.has_thousands) digits = with_thousands(digits);
  std::string sign = sign_text(number < 0, spec);
  if (spec.is_alternate && base != 10) sign += std::string("0") + spec.type;
  return aligned(sign, digits, spec, '>');
}

std::string float_text(double number, const FieldSpec& spec) {
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

std::string text_text(std::string_view text, const FieldSpec& spec) {
  if (spec.precision >= 0) text = text.substr(0, offset_of_point(text, static_cast<size_t>(spec.precision)));
  return aligned("", text, spec, '<');
}

int64_t read_number(Meter& meter, std::string_view text, size_t& at, int64_t most) {
  int64_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = std::min<int64_t>(most + 1, number * 10 + (text[at] - '0'));
  }
  if (number <= most) return number;
  meter.fail("a format specification asks for more than " + std::to_string(most) + " characters");
  return 0;
}

void read_precision(Meter& meter, std::string_view text, size_t& at, FieldSpec& spec) {
  if (at >= text.size() || text[at] != '.') return;
  ++at;
  spec.precision = static_cast<int>(read_number(meter, text, at, kMaxPrecision));
}

}  // namespace aprx::jinja
