// Splits a template into tokens. White space control is done here: `-` and `+` signs, and what chat templates
// rely on: the line end after a block tag goes (trim_blocks), blanks before a block tag that starts its line
// go (lstrip_blocks), and one line end at the end of the template goes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace aprx::jinja {

enum class TokenKind : uint8_t {
  kData,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,  // text: the value, escapes resolved
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct Token {
  TokenKind kind;
  int line;
  std::string text;
};

// An error of the template's own text: "line 3: ...".
[[nodiscard]] Error template_error(int line, const std::string& what);

// `source` must be valid UTF-8. The last token is kEnd.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace aprx::jinja
