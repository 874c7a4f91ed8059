// What Python's str methods know of a code point. Pure functions.
#pragma once

#include <string_view>

namespace aprx::jinja {

[[nodiscard]] bool is_alphabetic(char32_t c);
[[nodiscard]] bool is_decimal(char32_t c);
[[nodiscard]] bool is_printable(char32_t c);
[[nodiscard]] bool is_space(char32_t c);
[[nodiscard]] bool is_line_end(char32_t c);  // where splitlines() splits

// Simple case mappings; a code point without one maps to itself.
[[nodiscard]] char32_t lower_of(char32_t c);
[[nodiscard]] char32_t upper_of(char32_t c);
// The upper case (UTF-8) where it is more than one code point, as of U+00DF; else empty.
[[nodiscard]] std::string_view upper_expansion(char32_t c);

}  // namespace aprx::jinja
