#include "runtime/template/lexer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/template/literal.h"
#include "runtime/template/text.h"
#include "runtime/template/unicode.h"

namespace aprx::jinja {

Error template_error(int line, const std::string& what) {
  return Error{ErrorCode::kBadFile, {}, {}, "line " + std::to_string(line) + ": " + what, {}, {}};
}

namespace {

std::string normalized_lines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t at = 0; at < source.size(); ++at) {
    if (source[at] != '\r') {
      out += source[at];
      continue;
    }
    out += '\n';
    if (at + 1 < source.size() && source[at + 1] == '\n') ++at;
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

bool is_name_point(char32_t c) { return c == '_' || is_alphabetic(c) || is_decimal(c); }

constexpr std::array<std::string_view, 6> kLongOperators = {"//", "**", "==", "!=", ">=", "<="};
constexpr std::string_view kShortOperators = "+-/*%~[](){}><=.:|,;";

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalized_lines(source)) {}
  Result<std::vector<Token>> run();

 private:
  void lex_root();
  void lex_comment();
  bool lex_raw();
  void lex_tag(TokenKind begin);
  bool lex_tag_end(bool is_block);
  void lex_token();
  void lex_operator();
  void push_data(std::string_view data, char sign, bool may_lstrip);
  void push(TokenKind kind, std::string text) { tokens_.push_back({kind, line_, std::move(text)}); }
  void advance(size_t count);
  void skip_space();
  void fail(const std::string& what);
  [[nodiscard]] std::string_view rest() const { return std::string_view(source_).substr(at_); }
  [[nodiscard]] bool is_at(std::string_view text) const { return rest().starts_with(text); }
  [[nodiscard]] char sign_at(size_t offset) const;

  std::string source_;
  size_t at_ = 0;
  int line_ = 1;
  bool starts_line_ = true;  // what was read last ended a line
  std::string open_brackets_;
  std::vector<Token> tokens_;
  std::optional<Error> error_;
};

void Lexer::fail(const std::string& what) {
  if (!error_) error_ = template_error(line_, what);
  at_ = source_.size();
}

void Lexer::advance(size_t count) {
  const std::string_view passed = rest().substr(0, count);
  line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
  if (!passed.empty()) starts_line_ = passed.back() == '\n';
  at_ += passed.size();
}

void Lexer::skip_space() { advance(rest().size() - stripped(rest(), Side::kLeft).size()); }

// The '-' or '+' at an offset from here, else 0.
char Lexer::sign_at(size_t offset) const {
  const char c = at_ + offset < source_.size() ? source_[at_ + offset] : '\0';
  return c == '-' || c == '+' ? c : '\0';
}

// Data up to a tag with the given sign. Leaves the position alone.
void Lexer::push_data(std::string_view data, char sign, bool may_lstrip) {
  if (sign == '-') {
    data = stripped(data, Side::kRight);
  } else if (sign != '+' && may_lstrip) {
    const size_t line_start = data.rfind('\n') + 1;  // 0 when there is none
    const bool is_blank = stripped(data.substr(line_start), Side::kLeft).empty();
    if ((line_start > 0 || starts_line_) && is_blank) data = data.substr(0, line_start);
  }
  if (!data.empty()) push(TokenKind::kData, std::string(data));
}

void Lexer::lex_root() {
  size_t tag = source_.find('{', at_);
  while (tag != std::string::npos &&
         (tag + 1 >= source_.size() ||
          std::string_view("%{#").find(source_[tag + 1]) == std::string_view::npos)) {
    tag = source_.find('{', tag + 1);
  }
  const std::string_view data = rest().substr(0, tag == std::string::npos ? tag : tag - at_);
  if (tag == std::string::npos) {
    push(TokenKind::kData, std::string(data));
    return advance(data.size());
  }
  const char kind = source_[tag + 1];
  push_data(data, sign_at(data.size() + 2), kind != '{');
  advance(data.size());
  if (kind == '#') return lex_comment();
  if (kind == '%' && lex_raw()) return;
  lex_tag(kind == '%' ? TokenKind::kBlockBegin : TokenKind::kVariableBegin);
}

void Lexer::lex_comment() {
  const size_t inside = 2 + (sign_at(2) != '\0' ? 1 : 0);
  const size_t end = rest().find("#}", inside);
  if (end == std::string_view::npos) return fail("missing end of comment tag");
  const char sign = end > inside ? sign_at(end - 1) : '\0';
  advance(end + 2);
  if (sign == '-') skip_space();
  if (sign == '\0' && is_at("\n")) advance(1);
}

// Length of `{%- word -%}` at the start of `text` with either sign optional; 0 if it is something else.
size_t tag_length(std::string_view text, std::string_view word, bool may_keep_newline) {
  const std::string_view all = text;
  const auto skip = [&](size_t count) { text.remove_prefix(count); };
  if (!text.starts_with("{%")) return 0;
  skip(2);
  if (text.starts_with('-') || text.starts_with('+')) skip(1);
  text = stripped(text, Side::kLeft);
  if (!text.starts_with(word)) return 0;
  skip(word.size());
  text = stripped(text, Side::kLeft);
  if (text.starts_with('-') || (may_keep_newline && text.starts_with('+'))) skip(1);
  return text.starts_with("%}") ? all.size() - text.size() + 2 : 0;
}

// {% raw %} ... {% endraw %}: data, whatever it looks like.
bool Lexer::lex_raw() {
  const size_t begin_length = tag_length(rest(), "raw", false);
  if (begin_length == 0) return false;
  const bool strips = source_[at_ + begin_length - 3] == '-';
  advance(begin_length);
  if (strips) skip_space();
  for (size_t end = rest().find("{%"); end != std::string_view::npos; end = rest().find("{%", end + 1)) {
    const size_t end_length = tag_length(rest().substr(end), "endraw", true);
    if (end_length == 0) continue;
    push_data(rest().substr(0, end), sign_at(end + 2), true);
    const char sign = sign_at(end + end_length - 3);
    advance(end + end_length);
    if (sign == '-') skip_space();
    if (sign == '\0' && is_at("\n")) advance(1);
    return true;
  }
  fail("missing end of raw directive");
  return true;
}

void Lexer::lex_tag(TokenKind begin) {
  push(begin, {});
  const bool is_block = begin == TokenKind::kBlockBegin;
  advance(2 + (sign_at(2) != '\0' ? 1 : 0));
  open_brackets_.clear();
  while (!error_) {
    skip_space();
    if (at_ >= source_.size()) return fail(is_block ? "unclosed '{%'" : "unclosed '{{'");
    if (open_brackets_.empty() && lex_tag_end(is_block)) return;
    lex_token();
  }
}

bool Lexer::lex_tag_end(bool is_block) {
  const std::string_view end = is_block ? "%}" : "}}";
  const char sign = sign_at(0);
  const size_t sign_length = sign == '-' || (sign == '+' && is_block) ? 1 : 0;
  if (!rest().substr(sign_length).starts_with(end)) return false;
  push(is_block ? TokenKind::kBlockEnd : TokenKind::kVariableEnd, {});
  advance(sign_length + 2);
  if (sign == '-') skip_space();
  if (sign == '\0' && is_block && is_at("\n")) advance(1);
  return true;
}

void Lexer::lex_token() {
  const bool follows_dot = at_ > 0 && source_[at_ - 1] == '.';
  if (const size_t length = float_length(rest()); length > 0 && !follows_dot) {
    push(TokenKind::kFloat, std::string(rest().substr(0, length)));
    return advance(length);
  }
  if (const size_t length = integer_length(rest()); length > 0) {
    push(TokenKind::kInteger, std::string(rest().substr(0, length)));
    return advance(length);
  }
  if (is_name_point(point_at(rest(), 0))) {
    size_t length = 0;
    while (at_ + length < source_.size() && is_name_point(point_at(rest(), length)))
      length += point_length(rest(), length);
    push(TokenKind::kName, std::string(rest().substr(0, length)));
    return advance(length);
  }
  if (is_at("'") || is_at("\"")) {
    const size_t length = quoted_length(rest());
    if (length == 0) return fail("a text is not closed");
    auto value = unescaped(rest().substr(1, length - 2));
    if (!value) return fail("a text has a malformed escape");
    push(TokenKind::kString, std::move(*value));
    return advance(length);
  }
  lex_operator();
}

void Lexer::lex_operator() {
  const auto* const two =
      std::find_if(kLongOperators.begin(), kLongOperators.end(), [&](auto op) { return is_at(op); });
  const size_t length = two != kLongOperators.end() ? 2 : 1;
  const char c = source_[at_];
  if (length == 1 && kShortOperators.find(c) == std::string_view::npos) {
    return fail("unexpected character '" + std::string(rest().substr(0, point_length(rest(), 0))) + "'");
  }
  if (c == '(' || c == '[' || c == '{') open_brackets_ += c == '(' ? ')' : c == '[' ? ']' : '}';
  if (c == ')' || c == ']' || c == '}') {
    if (open_brackets_.empty()) return fail(std::string("unexpected '") + c + "'");
    if (open_brackets_.back() != c)
      return fail(std::string("unexpected '") + c + "', expected '" + open_brackets_.back() + "'");
    open_brackets_.pop_back();
  }
  push(TokenKind::kOperator, std::string(rest().substr(0, length)));
  advance(length);
}

Result<std::vector<Token>> Lexer::run() {
  while (at_ < source_.size()) lex_root();
  if (error_) return *error_;
  push(TokenKind::kEnd, {});
  return std::move(tokens_);
}

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace aprx::jinja
