// Literals inside of tags, by Jinja's rules. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace aprx::jinja {

// Bytes of the literal at the start of `text`; 0 if there is none.
[[nodiscard]] size_t float_length(std::string_view text);
[[nodiscard]] size_t integer_length(std::string_view text);
[[nodiscard]] size_t quoted_length(std::string_view text);  // with both quotes

// The inside of a in_quotes text with Python's escapes resolved; nothing for a malformed one.
[[nodiscard]] std::optional<std::string> unescaped(std::string_view inside);

}  // namespace aprx::jinja
