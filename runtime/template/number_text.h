// Numbers written in the ways that format specifications ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace aprx::jinja {

// Digits of |number| in base 2, 8, 10 or 16.
[[nodiscard]] std::string digits_of(int64_t number, int base, bool is_upper);

// |number| as the conversions e, f and g (either case) write it. precision at most kMaxPrecision.
inline constexpr int kMaxPrecision = 300;
[[nodiscard]] std::string fixed_text(double number, char conversion, int precision);

// Puts a comma between groups of three digits in front of the point.
[[nodiscard]] std::string with_thousands(const std::string& digits);

// Python's int(text, base) and float(text): with white space around and underscores between digits.
[[nodiscard]] std::optional<int64_t> parse_integer(std::string_view text, int base);
[[nodiscard]] std::optional<double> parse_float(std::string_view text);

}  // namespace aprx::jinja
