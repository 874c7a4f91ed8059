// Filters on text. Most take any value and work on what it prints.
#include <algorithm>
#include <array>

#include "runtime/template/compare.h"
#include "runtime/template/filters.h"
#include "runtime/template/format.h"
#include "runtime/template/json.h"
#include "runtime/template/operators.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"
#include "runtime/template/unicode.h"

namespace aprx::jinja {

namespace {

constexpr size_t kLongestEscape = 5;  // "&#39;"

bool is_markup(const Value& value) { return value.text() != nullptr && value.text()->is_markup; }

std::string self_string(const Call& call) { return str_of(call.meter, call.self); }

template <std::string (*kMap)(std::string_view)>
Value mapped(const Call& call) {
  return make_text(call.meter, kMap(self_string(call)), is_markup(call.self));
}

// Unlike str.title(), words start after white space, '-', or an opening bracket only.
std::string title_words(std::string_view text) {
  const auto starts_word = [](char32_t c) {
    return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
  };
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    const bool is_gap = starts_word(point_at(text, begin));
    while (end < text.size() && starts_word(point_at(text, end)) == is_gap) end += point_length(text, end);
    const std::string_view word = text.substr(begin, end - begin);
    const size_t first = point_length(word, 0);
    out += to_upper(word.substr(0, first)) + to_lower(word.substr(first));
    begin = end;
  }
  return out;
}

Value trim(const Call& call) {
  const auto chars = call.has(0) ? std::optional(call.text(0, {})) : std::nullopt;
  return make_text(call.meter, std::string(stripped(self_string(call), Side::kBoth, chars)),
                   is_markup(call.self));
}

Value string(const Call& call) {
  return call.self.text() != nullptr ? call.self : make_text(call.meter, self_string(call));
}

Value safe(const Call& call) { return make_text(call.meter, self_string(call), true); }

Value forceescape(const Call& call) {
  const std::string text = self_string(call);
  if (!call.meter.fits(text.size() * kLongestEscape)) return {};
  return make_text(call.meter, html_escaped(text), true);
}

Value escape(const Call& call) { return is_markup(call.self) ? call.self : forceescape(call); }

Value replace(const Call& call) {
  const std::string text = self_string(call);
  const std::string from = str_of(call.meter, *call.args[0]);
  const std::string to = str_of(call.meter, *call.args[1]);
  if (!call.meter.fits(text.size() + count_occurrences(text, from) * to.size())) return {};
  return make_text(call.meter, replaced(text, from, to, call.integer(2, -1)));
}

std::optional<std::string> indentation(const Call& call, size_t index, int64_t otherwise) {
  if (call.has(index) && call.args[index]->text() != nullptr) return call.args[index]->text()->bytes;
  const int64_t width = call.integer(index, otherwise);
  if (!call.meter.fits(width > 0 ? static_cast<size_t>(width) : 0)) return std::nullopt;
  return std::string(width > 0 ? static_cast<size_t>(width) : 0, ' ');
}

Value indent(const Call& call) {
  const auto indention = indentation(call, 0, 4);
  if (!indention || call.self.text() == nullptr) {
    return call.fail("indent needs a text, not " + type_name(call.self));
  }
  const bool indents_first = call.flag(1, false);
  const bool indents_blank = call.flag(2, false);
  // With a line end after it, an empty text still is one line, and a last empty line counts.
  const std::string text = call.self.text()->bytes + "\n";
  const auto lines = split_lines(text);
  if (!call.meter.fits(text.size() + lines.size() * (indention->size() + 1))) return {};
  std::string out = indents_first ? *indention : "";
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += '\n';
    if (i > 0 && (indents_blank || !lines[i].empty())) out += *indention;
    out += lines[i];
  }
  return make_text(call.meter, std::move(out), call.self.text()->is_markup);
}

Value center(const Call& call) {
  const int64_t width = call.integer(0, 80);
  if (!call.meter.fits(width > 0 ? static_cast<size_t>(width) : 0)) return {};
  return make_text(call.meter, padded(self_string(call), width, " ", '^'), is_markup(call.self));
}

Value wordcount(const Call& call) {
  const std::string text = self_string(call);
  int64_t count = 0;
  bool in_word = false;
  for (size_t at = 0; at < text.size(); at += point_length(text, at)) {
    const char32_t c = point_at(text, at);
    const bool is_word = c == '_' || is_alphabetic(c) || is_decimal(c);
    if (is_word && !in_word) ++count;
    in_word = is_word;
  }
  return count;
}

Value truncate(const Call& call) {
  const std::string text = self_string(call);
  const int64_t length = call.integer(0, 255);
  const std::string_view end = call.text(2, "...");
  const int64_t kept = length - static_cast<int64_t>(count_points(end));
  if (kept < 0) return call.fail("truncate: the length is less than that of the end");
  if (static_cast<int64_t>(count_points(text)) <= length + call.integer(3, 5))
    return make_text(call.meter, text);
  std::string out = text.substr(0, offset_of_point(text, static_cast<size_t>(kept)));
  if (!call.flag(1, false)) out = out.substr(0, out.rfind(' '));
  return make_text(call.meter, out + std::string(end));
}

Value format(const Call& call) {
  const Value text = call.self.text() != nullptr ? call.self : make_text(call.meter, self_string(call));
  if (call.given.named.empty()) {
    return apply_operator(call.meter, Op::kModulo, text, make_tuple(call.meter, call.given.positional));
  }
  if (!call.given.positional.empty()) return call.fail("format takes either positional or keyword arguments");
  Entries entries;
  for (const auto& [name, value] : call.given.named) entries.emplace_back(make_text(call.meter, name), value);
  return apply_operator(call.meter, Op::kModulo, text, make_mapping(call.meter, std::move(entries)));
}

Value tojson(const Call& call) {
  JsonStyle style;
  style.is_ascii = call.flag(0, false);
  style.has_sorted_keys = call.flag(3, false);
  if (call.has(1)) {
    style.indent = indentation(call, 1, 0);
    style.item_separator = ",";
  }
  if (call.has(2)) {
    const Values separators = items_of(call.meter, *call.args[2]);
    if (separators.size() != 2 || separators[0].text() == nullptr || separators[1].text() == nullptr) {
      return call.fail("tojson: separators must be two texts");
    }
    style.item_separator = separators[0].text()->bytes;
    style.key_separator = separators[1].text()->bytes;
  }
  return make_text(call.meter, to_json(call.meter, call.self, style));
}

constexpr auto kFilters = std::to_array<Builtin>({
    {"capitalize", "", mapped<capitalized>},
    {"center", "width?", center},
    {"e", "", escape},
    {"escape", "", escape},
    {"forceescape", "", forceescape},
    {"format", "*", format},
    {"indent", "width? first? blank?", indent},
    {"lower", "", mapped<to_lower>},
    {"replace", "old new count?", replace},
    {"safe", "", safe},
    {"string", "", string},
    {"title", "", mapped<title_words>},
    {"tojson", "ensure_ascii? indent? separators? sort_keys?", tojson},
    {"trim", "chars?", trim},
    {"truncate", "length? killwords? end? leeway?", truncate},
    {"upper", "", mapped<to_upper>},
    {"wordcount", "", wordcount},
});

}  // namespace

std::span<const Builtin> text_filters() { return kFilters; }

}  // namespace aprx::jinja
