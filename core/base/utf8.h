// Walking UTF-8 one step at a time, with maximal-part replacement as WHATWG and Unicode
// (chapter 3, "U+FFFD Substitution of Maximal Subparts") define it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace aprx {

enum class Utf8Status {
  kValid,      // `length` bytes form `code_point`
  kInvalid,    // `length` bytes are one maximal part that can't go on: one U+FFFD
  kTruncated,  // the text ends inside a character that could still become valid
};

struct Utf8Step {
  Utf8Status status;
  size_t length;  // at least 1, never past the end
  char32_t code_point;
};

// The step that starts at byte `at`; `at` must be below text.size().
[[nodiscard]] Utf8Step utf8_step(std::string_view text, size_t at);

[[nodiscard]] bool is_valid_utf8(std::string_view text);

// Replaces every maximal invalid part, and a truncated tail, by one U+FFFD.
[[nodiscard]] std::string replace_invalid_utf8(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

}  // namespace aprx
