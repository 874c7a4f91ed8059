// Tokens to AST. The grammar is Jinja's, with loop controls and {% generation %}; what reaches for other
// templates (extends, include, import, block) is refused by name.
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "runtime/template/ast.h"
#include "runtime/template/lexer.h"

namespace aprx::jinja {

Result<std::unique_ptr<Ast>> parse_tokens(std::vector<Token> tokens);

}  // namespace aprx::jinja
