#include "runtime/template/text.h"

#include <algorithm>
#include <cstring>

#include "core/base/utf8.h"
#include "runtime/template/unicode.h"

namespace aprx::jinja {

size_t point_length(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, text.size() - at);
}

char32_t point_at(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  return lead < 0x80 ? lead : utf8_step(text, at).code_point;
}

size_t count_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

size_t offset_of_point(std::string_view text, size_t index) {
  size_t at = 0;
  while (index-- > 0 && at < text.size()) at += point_length(text, at);
  return at;
}

namespace {

// The code points to strip, in order.
std::u32string sorted_points(std::string_view chars) {
  std::u32string points;
  for (size_t at = 0; at < chars.size(); at += point_length(chars, at)) points += point_at(chars, at);
  std::sort(points.begin(), points.end());
  return points;
}

// Start of the code point that ends at byte `end`, which is not 0.
size_t point_before(std::string_view text, size_t end) {
  do {
    --end;
  } while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  return end;
}

}  // namespace

std::string_view stripped(std::string_view text, Side side, std::optional<std::string_view> chars) {
  const std::u32string points = chars ? sorted_points(*chars) : std::u32string();
  const auto is_stripped = [&](char32_t c) {
    return chars ? std::binary_search(points.begin(), points.end(), c) : is_space(c);
  };
  size_t begin = 0;
  size_t end = text.size();
  while (side != Side::kRight && begin < end && is_stripped(point_at(text, begin)))
    begin += point_length(text, begin);
  while (side != Side::kLeft && end > begin) {
    const size_t last = point_before(text, end);
    if (!is_stripped(point_at(text, last))) break;
    end = last;
  }
  return text.substr(begin, end - begin);
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    size_t after = at + point_length(text, at);
    if (!is_line_end(point_at(text, at))) {
      at = after;
      continue;
    }
    if (text[at] == '\r' && after < text.size() && text[after] == '\n') ++after;
    lines.push_back(text.substr(begin, (keep_ends ? after : at) - begin));
    begin = at = after;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

namespace {

std::vector<std::string_view> split_space_left(std::string_view text, int64_t max_splits) {
  std::vector<std::string_view> parts;
  text = stripped(text, Side::kLeft);
  while (!text.empty()) {
    if (max_splits >= 0 && static_cast<int64_t>(parts.size()) == max_splits) {
      parts.push_back(text);
      break;
    }
    size_t end = 0;
    while (end < text.size() && !is_space(point_at(text, end))) end += point_length(text, end);
    parts.push_back(text.substr(0, end));
    text = stripped(text.substr(end), Side::kLeft);
  }
  return parts;
}

std::vector<std::string_view> split_space_right(std::string_view text, int64_t max_splits) {
  std::vector<std::string_view> parts;
  text = stripped(text, Side::kRight);
  while (!text.empty()) {
    if (max_splits >= 0 && static_cast<int64_t>(parts.size()) == max_splits) {
      parts.push_back(text);
      break;
    }
    size_t begin = text.size();
    while (begin > 0 && !is_space(point_at(text, point_before(text, begin))))
      begin = point_before(text, begin);
    parts.push_back(text.substr(begin));
    text = stripped(text.substr(0, begin), Side::kRight);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace

std::vector<std::string_view> split_space(std::string_view text, int64_t max_splits, bool from_right) {
  return from_right ? split_space_right(text, max_splits) : split_space_left(text, max_splits);
}

size_t find_part(std::string_view text, std::string_view part, size_t from) {
  if (part.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found != nullptr ? static_cast<size_t>(static_cast<const char*>(found) - text.data())
                          : std::string_view::npos;
}

size_t find_last_part(std::string_view text, std::string_view part) {
  const std::string backward(text.rbegin(), text.rend());
  const size_t at = find_part(backward, std::string(part.rbegin(), part.rend()));
  return at == std::string_view::npos ? at : text.size() - at - part.size();
}

namespace {

std::vector<std::string_view> split_from_left(std::string_view text, std::string_view separator,
                                              int64_t max_splits) {
  std::vector<std::string_view> parts;
  while (max_splits < 0 || static_cast<int64_t>(parts.size()) < max_splits) {
    const size_t at = find_part(text, separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, int64_t max_splits,
                                       bool from_right) {
  if (!from_right) return split_from_left(text, separator, max_splits);
  const std::string backward(text.rbegin(), text.rend());
  const std::string backward_separator(separator.rbegin(), separator.rend());
  std::vector<std::string_view> parts = split_from_left(backward, backward_separator, max_splits);
  std::reverse(parts.begin(), parts.end());
  for (std::string_view& part : parts) {
    const auto begin = static_cast<size_t>(part.data() - backward.data());
    part = text.substr(text.size() - begin - part.size(), part.size());
  }
  return parts;
}

size_t count_occurrences(std::string_view text, std::string_view part) {
  if (part.empty()) return count_points(text) + 1;
  size_t count = 0;
  for (size_t at = find_part(text, part); at != std::string_view::npos;
       at = find_part(text, part, at + part.size())) {
    ++count;
  }
  return count;
}

namespace {

std::string interleaved(std::string_view text, std::string_view with, int64_t max_count) {
  std::string out;
  for (size_t at = 0; at < text.size(); at += point_length(text, at)) {
    if (max_count-- != 0) {
      out += with;
    } else {
      return out.append(text.substr(at));
    }
    out += text.substr(at, point_length(text, at));
  }
  if (max_count != 0) out += with;
  return out;
}

}  // namespace

std::string replaced(std::string_view text, std::string_view from, std::string_view to, int64_t max_count) {
  if (from.empty()) return interleaved(text, to, max_count);
  std::string out;
  size_t begin = 0;
  for (size_t at = find_part(text, from); at != std::string_view::npos && max_count != 0;
       at = find_part(text, from, begin)) {
    out += text.substr(begin, at - begin);
    out += to;
    begin = at + from.size();
    --max_count;
  }
  out += text.substr(begin);
  return out;
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '\'': out += "&#39;"; break;
      case '"': out += "&#34;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string repeated(std::string_view text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  while (count-- > 0) out += text;
  return out;
}

}  // namespace aprx::jinja
