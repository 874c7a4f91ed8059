#include "core/base/utf8.h"
#include "runtime/template/text.h"
#include "runtime/template/unicode.h"

namespace aprx::jinja {

namespace {

enum class Case { kUpper, kLower };

void append_cased(std::string& out, char32_t c, Case wanted) {
  if (wanted == Case::kLower) {
    append_utf8(out, lower_of(c));
    if (c == 0x130) append_utf8(out, 0x307);  // the only lower case of two code points
  } else if (const std::string_view expansion = upper_expansion(c); !expansion.empty()) {
    out += expansion;
  } else {
    append_utf8(out, upper_of(c));
  }
}

// Upper case at the start of a word: of an expansion such as "SS" only the first part stays upper.
void append_title(std::string& out, char32_t c) {
  const std::string_view expansion = upper_expansion(c);
  if (expansion.empty()) return append_utf8(out, upper_of(c));
  const size_t first = point_length(expansion, 0);
  out += expansion.substr(0, first);
  out += to_lower(expansion.substr(first));
}

bool is_cased(char32_t c) { return lower_of(c) != c || upper_of(c) != c || !upper_expansion(c).empty(); }

std::string all_cased(std::string_view text, Case wanted) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += point_length(text, at))
    append_cased(out, point_at(text, at), wanted);
  return out;
}

}  // namespace

std::string to_upper(std::string_view text) { return all_cased(text, Case::kUpper); }
std::string to_lower(std::string_view text) { return all_cased(text, Case::kLower); }

std::string capitalized(std::string_view text) {
  if (text.empty()) return {};
  std::string out;
  append_title(out, point_at(text, 0));
  return out + to_lower(text.substr(point_length(text, 0)));
}

std::string swapped_case(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); at += point_length(text, at)) {
    const char32_t c = point_at(text, at);
    append_cased(out, c, lower_of(c) != c ? Case::kLower : Case::kUpper);
  }
  return out;
}

std::string titled(std::string_view text) {
  std::string out;
  bool in_word = false;
  for (size_t at = 0; at < text.size(); at += point_length(text, at)) {
    const char32_t c = point_at(text, at);
    if (in_word) {
      append_cased(out, c, Case::kLower);
    } else {
      append_title(out, c);
    }
    in_word = is_cased(c);
  }
  return out;
}

}  // namespace aprx::jinja
