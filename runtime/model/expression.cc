#include "runtime/model/expression.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

namespace aprx {

std::string scalar_text(const Scalar& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  std::array<char, 32> digits{};
  const int size = std::snprintf(digits.data(), digits.size(), "%.9g", std::get<double>(value));
  return {digits.data(), static_cast<size_t>(size)};
}

namespace {

using Kind = Expression::Kind;

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Recursive descent; the first mistake is kept and ends the parse.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression alternatives() {
    Expression first = sum();
    if (!take("|")) return first;
    Expression out{.kind = Kind::kElse, .name = {}, .parts = {std::move(first), sum()}, .text = {}};
    while (take("|")) out.parts.push_back(sum());
    return out;
  }

  Expression sum() {
    Expression left = product();
    while (!mistake_) {
      const bool adds = take("+");
      if (!adds && !take("-")) break;
      left = join(adds ? Kind::kAdd : Kind::kSubtract, std::move(left), product());
    }
    return left;
  }

  std::string sign() {
    for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (take(sign)) return sign;
    }
    fail("a comparison");
    return {};
  }

  // Nothing may follow.
  std::optional<Error> end() {
    skip_space();
    if (at_ < text_.size()) fail("an operator or the end");
    return mistake_;
  }

 private:
  Expression product() {
    Expression left = factor();
    while (!mistake_) {
      if (take("*")) {
        left = join(Kind::kMultiply, std::move(left), factor());
      } else if (take("/")) {
        left = join(Kind::kDivide, std::move(left), factor());
      } else if (take("%")) {
        left = join(Kind::kRemainder, std::move(left), factor());
      } else {
        break;
      }
    }
    return left;
  }

  Expression factor() {
    // Bounds the recursion whatever the text.
    if (++depth_ > kDepthMax) fail("less nesting");
    if (mistake_) return {};
    Expression out;
    if (take("-")) {
      out = {.kind = Kind::kNegate, .name = {}, .parts = {factor()}, .text = {}};
    } else if (take("(")) {
      out = alternatives();
      expect(")");
    } else if (take("@")) {
      out = key(Kind::kKey);
    } else if (take("$")) {
      out = key(Kind::kFileKey);
    } else if (take("#")) {
      out = axis();
    } else {
      out = number_or_name();
    }
    --depth_;
    return out;
  }

  Expression key(Kind kind) {
    Expression out{.kind = kind, .name = word(true), .parts = {}, .text = {}};
    if (!take("[")) return out;
    if (take("i")) {
      out.index = Expression::kThisLayer;
    } else {
      out.index = digits();
    }
    expect("]");
    return out;
  }

  Expression axis() {
    Expression out{.kind = Kind::kAxis, .name = word(false), .parts = {}, .text = {}};
    expect(".");
    out.index = digits();
    return out;
  }

  Expression number_or_name() {
    skip_space();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    Expression out{.kind = Kind::kName, .name = word(false), .parts = {}, .text = {}};
    if (out.name != "sqrt") return out;
    expect("(");
    out = {.kind = Kind::kSquareRoot, .name = {}, .parts = {alternatives()}, .text = {}};
    expect(")");
    return out;
  }

  Expression number() {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    int64_t integer = 0;
    const auto [integer_end, integer_error] = std::from_chars(begin, end, integer);
    double real = 0;
    const auto [real_end, real_error] = std::from_chars(begin, end, real);
    if (integer_error != std::errc{} || real_error != std::errc{}) fail("a number of 64 bits");
    at_ += static_cast<size_t>(real_end - begin);
    Expression out;
    if (real_end == integer_end) {
      out.value = integer;
    } else {
      out.value = real;
    }
    return out;
  }

  int64_t digits() {
    skip_space();
    int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) fail("a number from 0 on");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  std::string word(bool with_dots) {
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size() && (is_name_char(text_[at_]) || (with_dots && text_[at_] == '.'))) ++at_;
    if (at_ == begin) fail("a name or a number");
    return std::string(text_.substr(begin, at_ - begin));
  }

  static Expression join(Kind kind, Expression left, Expression right) {
    return {.kind = kind, .name = {}, .parts = {std::move(left), std::move(right)}, .text = {}};
  }

  bool take(std::string_view sign) {
    skip_space();
    if (mistake_ || !text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  void expect(std::string_view sign) {
    if (!take(sign)) fail("'" + std::string(sign) + "'");
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void fail(std::string expected) {
    if (mistake_) return;
    const std::string rest = at_ < text_.size() ? "'" + std::string(text_.substr(at_)) + "'" : "the end";
    mistake_ =
        Error{.code = ErrorCode::kBadFile,
              .file = {},
              .subject = {},
              .found = rest + " at column " + std::to_string(at_ + 1) + " of '" + std::string(text_) + "'",
              .expected = std::move(expected),
              .hint = {}};
  }

  static constexpr int kDepthMax = 64;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::optional<Error> mistake_;
};

}  // namespace

Result<Expression> parse_expression(std::string_view text) {
  Parser parser(text);
  Expression out = parser.alternatives();
  out.text = text;
  if (auto mistake = parser.end()) return *mistake;
  return out;
}

Result<Comparison> parse_comparison(std::string_view text) {
  Parser parser(text);
  Comparison out;
  out.left = parser.sum();
  out.sign = parser.sign();
  out.right = parser.sum();
  out.text = text;
  if (auto mistake = parser.end()) return *mistake;
  return out;
}

}  // namespace aprx
