// Methods of str. Positions and widths count code points.
#include <algorithm>
#include <array>

#include "runtime/template/builtin.h"
#include "runtime/template/format.h"
#include "runtime/template/text.h"
#include "runtime/template/unicode.h"

namespace aprx::jinja {

namespace {

std::string_view self_text(const Call& call) { return call.self.text()->bytes; }

// Methods keep the mark of markup.
Value like_self(const Call& call, std::string_view text) {
  return make_text(call.meter, std::string(text), call.self.text()->is_markup);
}

Value parts_like_self(const Call& call, const std::vector<std::string_view>& parts, bool as_tuple = false) {
  Values items;
  if (!call.meter.fits(parts.size() * (sizeof(Value) + sizeof(Text)))) return {};
  for (const std::string_view part : parts) items.push_back(like_self(call, part));
  return as_tuple ? make_tuple(call.meter, std::move(items)) : make_list(call.meter, std::move(items));
}

template <std::string (*kMap)(std::string_view)>
Value mapped(const Call& call) {
  return like_self(call, kMap(self_text(call)));
}

template <Side kSide>
Value strip(const Call& call) {
  const auto chars = call.has(0) ? std::optional(call.text(0, {})) : std::nullopt;
  return like_self(call, stripped(self_text(call), kSide, chars));
}

template <bool kFromRight>
Value split(const Call& call) {
  const int64_t most = call.integer(1, -1);
  if (!call.has(0)) return parts_like_self(call, split_space(self_text(call), most, kFromRight));
  const std::string_view separator = call.text(0, {});
  if (separator.empty()) return call.fail("empty separator");
  return parts_like_self(call, split_at(self_text(call), separator, most, kFromRight));
}

Value splitlines(const Call& call) {
  return parts_like_self(call, split_lines(self_text(call), call.flag(0, false)));
}

template <bool kFromRight>
Value partition(const Call& call) {
  const std::string_view separator = call.text(0, {});
  if (separator.empty()) return call.fail("empty separator");
  auto parts = split_at(self_text(call), separator, 1, kFromRight);
  if (parts.size() == 2) return parts_like_self(call, {parts[0], separator, parts[1]}, true);
  if (kFromRight) return parts_like_self(call, {"", "", parts[0]}, true);
  return parts_like_self(call, {parts[0], "", ""}, true);
}

Value replace(const Call& call) {
  const int64_t most = call.integer(2, -1);
  std::string from(call.text(0, {}));
  std::string to(call.text(1, {}));
  if (call.self.text()->is_markup) {
    if (!call.args[0]->text()->is_markup) from = html_escaped(from);
    if (!call.args[1]->text()->is_markup) to = html_escaped(to);
  }
  const size_t places = count_occurrences(self_text(call), from);
  if (!call.meter.fits(self_text(call).size() + places * to.size())) return {};
  return like_self(call, replaced(self_text(call), from, to, most));
}

Value join(const Call& call) {
  const Values items = items_of(call.meter, *call.args[0]);
  std::string out;
  for (size_t i = 0; i < items.size() && call.meter.step(); ++i) {
    const Text* text = items[i].text();
    if (text == nullptr) {
      return call.fail("sequence item " + std::to_string(i) + ": expected str instance, " +
                       type_name(items[i]) + " found");
    }
    const bool escapes = call.self.text()->is_markup && !text->is_markup;
    if (i > 0) out += self_text(call);
    out += escapes ? html_escaped(text->bytes) : text->bytes;
    if (!call.meter.fits(out.size())) return {};
  }
  return like_self(call, out);
}

// The part that start and end (code points, may be negative) leave, and where it starts.
struct Part {
  std::string_view text;
  int64_t first = 0;
};

std::optional<Part> part_of(const Call& call, size_t start_index) {
  const std::string_view text = self_text(call);
  if (!call.has(start_index) && !call.has(start_index + 1)) return Part{text};
  const auto length = static_cast<int64_t>(count_points(text));
  const auto position = [&](size_t index, int64_t otherwise) {
    const int64_t at = call.integer(index, otherwise);
    return at < 0 ? std::max<int64_t>(0, at + length) : at;
  };
  const int64_t start = position(start_index, 0);
  const int64_t end = std::min(position(start_index + 1, length), length);
  if (start > end) return std::nullopt;
  const size_t begin = offset_of_point(text, static_cast<size_t>(start));
  const std::string_view rest = text.substr(begin);
  return Part{rest.substr(0, offset_of_point(rest, static_cast<size_t>(end - start))), start};
}

template <bool kFromRight>
int64_t position_of(const Call& call) {
  const auto part = part_of(call, 1);
  const std::string_view wanted = call.text(0, {});
  if (!part) return -1;
  const size_t at = kFromRight ? find_last_part(part->text, wanted) : find_part(part->text, wanted);
  return at == std::string_view::npos
             ? -1
             : part->first + static_cast<int64_t>(count_points(part->text.substr(0, at)));
}

template <bool kFromRight>
Value find(const Call& call) {
  return position_of<kFromRight>(call);
}

template <bool kFromRight>
Value index(const Call& call) {
  const int64_t at = position_of<kFromRight>(call);
  return at < 0 ? call.fail("substring not found") : Value(at);
}

Value count(const Call& call) {
  const auto part = part_of(call, 1);
  return part ? static_cast<int64_t>(count_occurrences(part->text, call.text(0, {}))) : int64_t{0};
}

// startswith and endswith take one text or a tuple of them.
template <bool kAtEnd>
Value has_affix(const Call& call) {
  const auto part = part_of(call, 1);
  const Sequence* several = call.args[0]->sequence();
  const Values wanted =
      several != nullptr && several->kind == SequenceKind::kTuple ? several->items : Values{*call.args[0]};
  for (const Value& each : wanted) {
    if (each.text() == nullptr)
      return call.fail("an affix must be str or a tuple of str, not " + type_name(each));
    const std::string_view affix = each.text()->bytes;
    if (part && (kAtEnd ? part->text.ends_with(affix) : part->text.starts_with(affix))) return true;
  }
  return false;
}

template <bool kAtEnd>
Value remove_affix(const Call& call) {
  const std::string_view text = self_text(call);
  const std::string_view affix = call.text(0, {});
  if (!(kAtEnd ? text.ends_with(affix) : text.starts_with(affix))) return call.self;
  return like_self(call, kAtEnd ? text.substr(0, text.size() - affix.size()) : text.substr(affix.size()));
}

template <char kAlignment>
Value justify(const Call& call) {
  const std::string_view fill = call.text(1, " ");
  if (count_points(fill) != 1) return call.fail("the fill character must be exactly one character long");
  const int64_t width = call.integer(0, 0);
  if (!call.meter.fits(width > 0 ? static_cast<size_t>(width) * fill.size() : 0)) return {};
  return like_self(call, padded(self_text(call), width, fill, kAlignment));
}

Value zfill(const Call& call) {
  const int64_t width = call.integer(0, 0);
  if (!call.meter.fits(width > 0 ? static_cast<size_t>(width) : 0)) return {};
  std::string_view text = self_text(call);
  const bool has_sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string_view sign = text.substr(0, has_sign ? 1 : 0);
  text.remove_prefix(sign.size());
  return like_self(call,
                   std::string(sign) + padded(text, width - static_cast<int64_t>(sign.size()), "0", '>'));
}

template <bool (*kIs)(char32_t)>
Value all_points(const Call& call) {
  const std::string_view text = self_text(call);
  for (size_t at = 0; at < text.size(); at += point_length(text, at)) {
    if (!kIs(point_at(text, at))) return false;
  }
  return !text.empty();
}

bool is_alphanumeric(char32_t c) { return is_alphabetic(c) || is_decimal(c); }

Value islower(const Call& call) {
  const std::string_view text = self_text(call);
  return to_lower(text) == text && to_upper(text) != text;
}

Value isupper(const Call& call) {
  const std::string_view text = self_text(call);
  return to_upper(text) == text && to_lower(text) != text;
}

Value format(const Call& call) { return format_braces(call.meter, *call.self.text(), call.given); }

constexpr auto kMethods = std::to_array<Builtin>({
    {"capitalize", "", mapped<capitalized>},
    {"casefold", "", mapped<to_lower>},
    {"center", "width fillchar?", justify<'^'>},
    {"count", "sub start? end?", count},
    {"endswith", "suffix start? end?", has_affix<true>},
    {"find", "sub start? end?", find<false>},
    {"format", "*", format},
    {"index", "sub start? end?", index<false>},
    {"isalnum", "", all_points<is_alphanumeric>},
    {"isalpha", "", all_points<is_alphabetic>},
    {"isdecimal", "", all_points<is_decimal>},
    {"isdigit", "", all_points<is_decimal>},
    {"islower", "", islower},
    {"isnumeric", "", all_points<is_decimal>},
    {"isspace", "", all_points<is_space>},
    {"isupper", "", isupper},
    {"join", "iterable", join},
    {"ljust", "width fillchar?", justify<'<'>},
    {"lower", "", mapped<to_lower>},
    {"lstrip", "chars?", strip<Side::kLeft>},
    {"partition", "sep", partition<false>},
    {"removeprefix", "prefix", remove_affix<false>},
    {"removesuffix", "suffix", remove_affix<true>},
    {"replace", "old new count?", replace},
    {"rfind", "sub start? end?", find<true>},
    {"rindex", "sub start? end?", index<true>},
    {"rjust", "width fillchar?", justify<'>'>},
    {"rpartition", "sep", partition<true>},
    {"rsplit", "sep? maxsplit?", split<true>},
    {"rstrip", "chars?", strip<Side::kRight>},
    {"split", "sep? maxsplit?", split<false>},
    {"splitlines", "keepends?", splitlines},
    {"startswith", "prefix start? end?", has_affix<false>},
    {"strip", "chars?", strip<Side::kBoth>},
    {"swapcase", "", mapped<swapped_case>},
    {"title", "", mapped<titled>},
    {"upper", "", mapped<to_upper>},
    {"zfill", "width", zfill},
});

}  // namespace

const Builtin* find_text_method(std::string_view name) { return find_builtin(kMethods, name); }

}  // namespace aprx::jinja
