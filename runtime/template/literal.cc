#include "runtime/template/literal.h"

#include <algorithm>

#include "core/base/utf8.h"

namespace aprx::jinja {

namespace {

bool is_digit(char c, int base) {
  if (c >= '0' && c <= '9') return c - '0' < base;
  return base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
}

// Digits with single underscores between them.
size_t digits_length(std::string_view text, int base = 10) {
  size_t length = 0;
  while (length < text.size()) {
    const size_t next = length > 0 && text[length] == '_' ? length + 1 : length;
    if (next >= text.size() || !is_digit(text[next], base)) break;
    length = next + 1;
  }
  return length;
}

size_t prefixed_length(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return 0;
  const char mark = static_cast<char>(text[1] | 0x20);
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  const size_t skipped = text[2] == '_' ? 3 : 2;
  const size_t length = base != 0 ? digits_length(text.substr(skipped), base) : 0;
  return length > 0 ? skipped + length : 0;
}

}  // namespace

size_t float_length(std::string_view text) {
  size_t length = digits_length(text);
  if (length == 0) return 0;
  const size_t whole = length;
  if (length < text.size() && text[length] == '.') {
    const size_t fraction = digits_length(text.substr(length + 1));
    if (fraction > 0) length += 1 + fraction;
  }
  if (length < text.size() && (text[length] | 0x20) == 'e') {
    const size_t sign =
        length + 1 < text.size() && (text[length + 1] == '+' || text[length + 1] == '-') ? 1 : 0;
    const size_t exponent =
        length + 1 + sign < text.size() ? digits_length(text.substr(length + 1 + sign)) : 0;
    if (exponent > 0) length += 1 + sign + exponent;
  }
  return length > whole ? length : 0;
}

size_t integer_length(std::string_view text) {
  if (const size_t length = prefixed_length(text); length > 0) return length;
  const size_t length = digits_length(text);
  if (length == 0 || text[0] != '0') return length;
  // A number that starts with 0 is only zeros.
  const size_t end = text.substr(0, length).find_first_not_of("0_");
  return end == std::string_view::npos ? length : end;
}

size_t quoted_length(std::string_view text) {
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text[0]) {
      return at + 1;
    }
  }
  return 0;
}

namespace {

// The number of `digits` digits at `at`, which moves behind them; with `is_exact` all of them must be there.
std::optional<char32_t> read_code(std::string_view text, size_t& at, size_t digits, int base, bool is_exact) {
  char32_t code = 0;
  size_t count = 0;
  for (; count < digits && at < text.size() && is_digit(text[at], base); ++count, ++at) {
    const char c = text[at];
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    code = code * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
  }
  if (is_exact && count < digits) return std::nullopt;
  return code;
}

// Half of a surrogate pair is no character.
bool append_code(std::string& out, char32_t code) {
  if (code > 0x10FFFF) return false;
  append_utf8(out, code >= 0xD800 && code < 0xE000 ? U'\uFFFD' : code);
  return true;
}

char simple_escape(char c) {
  constexpr std::string_view kNames = "\\'\"abfnrtv";
  constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
  const size_t at = kNames.find(c);
  return at != std::string_view::npos ? kValues[at] : '\0';
}

// Resolves the escape whose backslash is before `at`; `at` moves behind it.
bool append_escape(std::string& out, std::string_view inside, size_t& at) {
  const char c = inside[at];
  if (c >= '0' && c <= '7') return append_code(out, read_code(inside, at, 3, 8, false).value_or(0));
  ++at;
  if (c == '\n') return true;
  if (c == 'x' || c == 'u' || c == 'U') {
    const auto code = read_code(inside, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16, true);
    return code && append_code(out, *code);
  }
  if (const char simple = simple_escape(c); simple != '\0') {
    out += simple;
  } else {
    out += {'\\', c};
  }
  return true;
}

}  // namespace

std::optional<std::string> unescaped(std::string_view inside) {
  std::string out;
  for (size_t at = 0; at < inside.size();) {
    const size_t backslash = std::min(inside.find('\\', at), inside.size());
    out += inside.substr(at, backslash - at);
    at = backslash + 1;
    if (at < inside.size() && !append_escape(out, inside, at)) return std::nullopt;
  }
  return out;
}

}  // namespace aprx::jinja
