#include "runtime/template/parser_state.h"

#include <algorithm>

#include "runtime/template/parser.h"

namespace aprx::jinja {

namespace {

// A level takes about a dozen C++ frames.
constexpr int kMaxParserDepth = 100;

std::string described(const Token& token) {
  switch (token.kind) {
    case TokenKind::kData: return "text";
    case TokenKind::kVariableBegin: return "'{{'";
    case TokenKind::kVariableEnd: return "'}}'";
    case TokenKind::kBlockBegin: return "'{%'";
    case TokenKind::kBlockEnd: return "'%}'";
    case TokenKind::kString: return "a text";
    case TokenKind::kEnd: return "the end of the template";
    default: return "'" + token.text + "'";
  }
}

}  // namespace

Parser::Level::Level(Parser& parser) : parser_(parser) {
  if (++parser.depth_ > kMaxParserDepth) {
    parser.fail("nested more than " + std::to_string(kMaxParserDepth) + " levels deep");
  }
}

const Token& Parser::look_ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }

Token Parser::next() {
  Token token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::at_op(std::string_view op) const {
  return current().kind == TokenKind::kOperator && current().text == op;
}

bool Parser::at_name(std::string_view name) const {
  return current().kind == TokenKind::kName && current().text == name;
}

bool Parser::skip_op(std::string_view op) {
  if (!at_op(op)) return false;
  next();
  return true;
}

bool Parser::skip_name(std::string_view name) {
  if (!at_name(name)) return false;
  next();
  return true;
}

void Parser::expect_op(std::string_view op) {
  if (!skip_op(op)) fail_unexpected("'" + std::string(op) + "'");
}

std::string Parser::expect_name() {
  if (current().kind == TokenKind::kName) return next().text;
  fail_unexpected("a name");
  return {};
}

void Parser::expect(TokenKind kind, const char* description) {
  if (current().kind == kind) {
    next();
  } else {
    fail_unexpected(description);
  }
}

void Parser::fail(const std::string& what) {
  if (!error_) error_ = template_error(current().line, what);
  at_ = tokens_.size() - 1;
}

void Parser::fail_unexpected(const std::string& expected) {
  fail("unexpected " + described(current()) + ", expected " + expected);
}

Expr* Parser::make(ExprKind kind, std::vector<Expr*> items) {
  Expr& expr = ast_->exprs.emplace_back();
  expr.kind = kind;
  expr.line = !items.empty() && items.front() != nullptr ? items.front()->line : current().line;
  expr.items = std::move(items);
  return &expr;
}

Stmt* Parser::make(StmtKind kind) {
  Stmt& stmt = ast_->stmts.emplace_back();
  stmt.kind = kind;
  stmt.line = current().line;
  return &stmt;
}

Result<std::unique_ptr<Ast>> Parser::run() {
  ast_->body = parse_body({});
  if (error_) return *error_;
  return std::move(ast_);
}

Result<std::unique_ptr<Ast>> parse_tokens(std::vector<Token> tokens) {
  return Parser(std::move(tokens)).run();
}

}  // namespace aprx::jinja
