#include "runtime/template/number_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "runtime/template/text.h"

namespace aprx::jinja {

std::string digits_of(int64_t number, int base, bool is_upper) {
  const uint64_t size =
      number < 0 ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), size, base).ptr;
  const std::string out(buffer.data(), end);
  return is_upper ? to_upper(out) : out;
}

std::string fixed_text(double number, char conversion, int precision) {
  const bool is_upper = conversion >= 'A' && conversion <= 'Z';
  const char kind = static_cast<char>(is_upper ? conversion + 0x20 : conversion);
  std::string out;
  if (!std::isfinite(number)) {
    out = std::isnan(number) ? "nan" : "inf";
  } else {
    const auto format = kind == 'e'   ? std::chars_format::scientific
                        : kind == 'f' ? std::chars_format::fixed
                                      : std::chars_format::general;
    std::array<char, 1024> buffer;  // 309 digits, the point, and kMaxPrecision more fit
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(number), format, precision).ptr;
    out.assign(buffer.data(), end);
  }
  return is_upper ? to_upper(out) : out;
}

std::string with_thousands(const std::string& digits) {
  const size_t whole = std::min(digits.find_first_not_of("0123456789"), digits.size());
  std::string out;
  for (size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out + digits.substr(whole);
}

namespace {

// Underscores are allowed between digits only.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    const bool is_between = i > 0 && i + 1 < text.size() &&
                            std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 &&
                            std::isalnum(static_cast<unsigned char>(text[i + 1])) != 0;
    if (!is_between) return std::nullopt;
  }
  return out;
}

int base_of_prefix(std::string_view digits) {
  if (digits.size() < 3 || digits[0] != '0') return 0;
  switch (digits[1]) {
    case 'x':
    case 'X': return 16;
    case 'o':
    case 'O': return 8;
    case 'b':
    case 'B': return 2;
    default: return 0;
  }
}

}  // namespace

std::optional<int64_t> parse_integer(std::string_view text, int base) {
  const auto clean = without_underscores(stripped(text, Side::kBoth));
  if (!clean || clean->empty() || (base != 0 && (base < 2 || base > 36))) return std::nullopt;
  const bool is_negative = clean->front() == '-';
  std::string digits = clean->substr(is_negative || clean->front() == '+' ? 1 : 0);
  const int prefix = base_of_prefix(digits);
  if (prefix != 0 && (base == 0 || base == prefix)) {
    base = prefix;
    digits.erase(0, 2);
  }
  if (base == 0) base = 10;
  // The sign goes along, since the most negative number has no positive twin.
  if (digits.empty() || digits[0] == '-') return std::nullopt;
  if (is_negative) digits.insert(0, "-");
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<double> parse_float(std::string_view text) {
  const auto clean = without_underscores(stripped(text, Side::kBoth));
  if (!clean || clean->empty()) return std::nullopt;
  std::string digits = *clean;
  if (digits[0] == '+') digits.erase(0, 1);
  if (digits.empty() || (digits[0] == '-' && clean->front() == '+') ||
      digits.find('(') != std::string::npos) {
    return std::nullopt;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars leaves the number alone when it is too large or too small.
  if (error == std::errc::result_out_of_range) return digits.find("e-") != std::string::npos ? 0.0 : HUGE_VAL;
  return number;
}

}  // namespace aprx::jinja
