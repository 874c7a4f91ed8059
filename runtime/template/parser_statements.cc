// Data, {{ ... }} and {% ... %}.
#include <algorithm>
#include <array>

#include "runtime/template/parser_state.h"

namespace aprx::jinja {

Body Parser::parse_body(std::initializer_list<std::string_view> end_names) {
  const Level level(*this);
  Body body;
  while (current().kind != TokenKind::kEnd) {
    if (current().kind == TokenKind::kData) {
      Stmt* data = make(StmtKind::kData);
      data->text = next().text;
      body.push_back(data);
    } else if (current().kind == TokenKind::kVariableBegin) {
      next();
      Stmt* output = make(StmtKind::kOutput);
      output->value = parse_tuple(true);
      expect(TokenKind::kVariableEnd, "'}}'");
      body.push_back(output);
    } else {
      next();  // {%
      if (std::any_of(end_names.begin(), end_names.end(), [&](auto name) { return at_name(name); }))
        return body;
      body.push_back(parse_statement());
      expect(TokenKind::kBlockEnd, "'%}'");
    }
  }
  if (end_names.size() > 0) {
    std::string wanted;
    for (const std::string_view name : end_names)
      wanted += (wanted.empty() ? "'" : " or '") + std::string(name) + "'";
    fail_unexpected(wanted);
  }
  return body;
}

// The rest of the opening tag, and the body up to one of the names, which becomes the current token.
Body Parser::parse_block_body(std::initializer_list<std::string_view> end_names) {
  skip_op(":");
  expect(TokenKind::kBlockEnd, "'%}'");
  return parse_body(end_names);
}

Stmt* Parser::parse_statement() {
  if (current().kind != TokenKind::kName) {
    fail_unexpected("the name of a tag");
    return make(StmtKind::kScope);
  }
  if (at_name("if")) return parse_if();
  if (at_name("for")) return parse_for();
  if (at_name("set")) return parse_set();
  if (at_name("macro")) return parse_macro();
  if (at_name("call")) return parse_call_block();
  if (at_name("filter")) return parse_filter_block();
  if (at_name("with")) return parse_with();
  if (at_name("generation")) return parse_generation();
  if (at_name("break")) return parse_loop_control(StmtKind::kBreak);
  if (at_name("continue")) return parse_loop_control(StmtKind::kContinue);
  constexpr std::array<std::string_view, 8> kUnsupported = {"extends", "include", "import",     "from",
                                                            "block",   "print",   "autoescape", "do"};
  const bool is_known =
      std::find(kUnsupported.begin(), kUnsupported.end(), current().text) != kUnsupported.end();
  fail((is_known ? "the tag '" : "unknown tag '") + current().text + (is_known ? "' is not supported" : "'"));
  return make(StmtKind::kScope);
}

Stmt* Parser::parse_if() {
  Stmt* stmt = make(StmtKind::kIf);
  do {
    next();  // if, elif
    Expr* test = parse_tuple(false);
    stmt->branches.push_back({test, parse_block_body({"elif", "else", "endif"})});
  } while (at_name("elif"));
  if (skip_name("else")) stmt->otherwise = parse_block_body({"endif"});
  next();
  return stmt;
}

Stmt* Parser::parse_for() {
  Stmt* stmt = make(StmtKind::kFor);
  next();
  stmt->target = parse_target("in");
  if (!skip_name("in")) fail_unexpected("'in'");
  stmt->value = parse_tuple(false, "recursive");
  if (skip_name("if")) stmt->test = parse_expression();
  stmt->is_recursive = skip_name("recursive");
  ++loops_;
  stmt->body = parse_block_body({"endfor", "else"});
  --loops_;
  if (skip_name("else")) stmt->otherwise = parse_block_body({"endfor"});
  next();
  return stmt;
}

Stmt* Parser::parse_set() {
  Stmt* stmt = make(StmtKind::kSet);
  next();
  stmt->target = parse_target({}, true);
  if (skip_op("=")) {
    stmt->value = parse_tuple(true);
    return stmt;
  }
  stmt->kind = StmtKind::kSetBlock;
  while (skip_op("|")) stmt->value = parse_filter(stmt->value);
  stmt->body = parse_block_body({"endset"});
  next();
  return stmt;
}

void Parser::parse_parameters(Stmt* macro) {
  expect_op("(");
  while (ok() && !at_op(")")) {
    if (!macro->parameters.empty()) expect_op(",");
    Parameter parameter{expect_name(), nullptr};
    if (skip_op("=")) {
      parameter.default_value = parse_expression();
    } else if (!macro->parameters.empty() && macro->parameters.back().default_value != nullptr) {
      fail("a parameter without a default follows one with a default");
    }
    macro->parameters.push_back(std::move(parameter));
  }
  expect_op(")");
}

Body Parser::parse_macro_body(Stmt* macro, std::string_view end_name) {
  open_macros_.push_back(macro);
  const int outer_loops = std::exchange(loops_, 0);
  Body body = parse_block_body({end_name});
  loops_ = outer_loops;
  open_macros_.pop_back();
  next();
  return body;
}

Stmt* Parser::parse_macro() {
  Stmt* macro = make(StmtKind::kMacro);
  next();
  macro->text = expect_name();
  parse_parameters(macro);
  macro->body = parse_macro_body(macro, "endmacro");
  return macro;
}

Stmt* Parser::parse_call_block() {
  Stmt* stmt = make(StmtKind::kCall);
  next();
  stmt->text = "caller";
  if (at_op("(")) parse_parameters(stmt);
  stmt->value = parse_expression();
  if (stmt->value->kind != ExprKind::kCall) fail("a call block needs a call");
  stmt->body = parse_macro_body(stmt, "endcall");
  return stmt;
}

Stmt* Parser::parse_filter_block() {
  Stmt* stmt = make(StmtKind::kFilter);
  next();
  stmt->value = parse_filter(nullptr);
  while (skip_op("|")) stmt->value = parse_filter(stmt->value);
  stmt->body = parse_block_body({"endfilter"});
  next();
  return stmt;
}

Stmt* Parser::parse_with() {
  Stmt* stmt = make(StmtKind::kWith);
  next();
  while (ok() && current().kind != TokenKind::kBlockEnd) {
    if (!stmt->assignments.empty()) expect_op(",");
    Expr* target = parse_primary();
    if (ok() && !is_assignable(*target)) fail("only names can be assigned to");
    expect_op("=");
    stmt->assignments.emplace_back(target, parse_expression());
  }
  stmt->body = parse_block_body({"endwith"});
  next();
  return stmt;
}

// Marks what the model wrote, for training; it changes nothing in a render.
Stmt* Parser::parse_generation() {
  Stmt* stmt = make(StmtKind::kScope);
  next();
  stmt->body = parse_block_body({"endgeneration"});
  next();
  return stmt;
}

Stmt* Parser::parse_loop_control(StmtKind kind) {
  Stmt* stmt = make(kind);
  if (loops_ == 0) fail("'" + current().text + "' outside of a loop");
  next();
  return stmt;
}

}  // namespace aprx::jinja
