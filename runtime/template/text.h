// Text operations by code point. All texts are valid UTF-8. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aprx::jinja {

[[nodiscard]] size_t point_length(std::string_view text, size_t at);  // bytes of the code point at byte `at`
[[nodiscard]] char32_t point_at(std::string_view text, size_t at);
[[nodiscard]] size_t count_points(std::string_view text);
// Byte offset of code point `index`; the size of the text when it has no more than `index`.
[[nodiscard]] size_t offset_of_point(std::string_view text, size_t index);

[[nodiscard]] std::string to_upper(std::string_view text);
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string capitalized(std::string_view text);  // first one upper, the rest lower
[[nodiscard]] std::string swapped_case(std::string_view text);
[[nodiscard]] std::string titled(std::string_view text);  // str.title(): each run of letters capitalized

enum class Side { kLeft, kRight, kBoth };
// Without `chars`, white space is stripped; else the code points in `chars`.
[[nodiscard]] std::string_view stripped(std::string_view text, Side side,
                                        std::optional<std::string_view> chars = std::nullopt);

[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends = false);
// At most `max_splits` splits (all when negative), from the left or from the right.
// The first splits at runs of white space, the second at `separator`, which must not be empty.
[[nodiscard]] std::vector<std::string_view> split_space(std::string_view text, int64_t max_splits,
                                                        bool from_right);
[[nodiscard]] std::vector<std::string_view> split_at(std::string_view text, std::string_view separator,
                                                     int64_t max_splits, bool from_right);

// First and last place of `part`, or npos. Linear in both, whatever they hold.
[[nodiscard]] size_t find_part(std::string_view text, std::string_view part, size_t from = 0);
[[nodiscard]] size_t find_last_part(std::string_view text, std::string_view part);

// How often `part` occurs without overlap; between all code points when empty.
[[nodiscard]] size_t count_occurrences(std::string_view text, std::string_view part);
// At most `max_count` replacements (all when negative), with Python's meaning of an empty `from`.
[[nodiscard]] std::string replaced(std::string_view text, std::string_view from, std::string_view to,
                                   int64_t max_count);

[[nodiscard]] std::string html_escaped(std::string_view text);
[[nodiscard]] std::string repeated(std::string_view text, size_t count);

}  // namespace aprx::jinja
