// What both halves of the parser share. After an error the parser sees nothing but the end of the template,
// so every loop over tokens stops, and the first error is the one reported.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/template/ast.h"
#include "runtime/template/lexer.h"

namespace aprx::jinja {

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)), ast_(std::make_unique<Ast>()) {}
  Result<std::unique_ptr<Ast>> run();

 private:
  // Limits the stack that nested text can take.
  class Level {
   public:
    explicit Level(Parser& parser);
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // parser_state.cc
  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& look_ahead() const;
  Token next();
  [[nodiscard]] bool at_op(std::string_view op) const;
  [[nodiscard]] bool at_name(std::string_view name) const;
  bool skip_op(std::string_view op);
  bool skip_name(std::string_view name);
  void expect_op(std::string_view op);
  std::string expect_name();
  void expect(TokenKind kind, const char* description);
  void fail(const std::string& what);
  void fail_unexpected(const std::string& expected);
  Expr* make(ExprKind kind, std::vector<Expr*> items = {});
  Stmt* make(StmtKind kind);

  // parser_expressions.cc
  Expr* parse_expression();  // with inline if
  Expr* parse_or();
  Expr* parse_and();
  Expr* parse_not();
  Expr* parse_compare();
  Expr* parse_sum();
  Expr* parse_concat();
  Expr* parse_product();
  Expr* parse_power();
  Expr* parse_unary(bool with_filters = true);
  Expr* parse_primary();
  Expr* parse_name();
  Expr* parse_number();
  Expr* parse_list();
  Expr* parse_dict();
  // One expression, or a tuple where commas follow.
  Expr* parse_tuple(bool with_conditional, std::string_view end_name = {}, bool in_parentheses = false);
  Expr* parse_target(std::string_view end_name = {}, bool with_namespace = false);
  [[nodiscard]] bool is_assignable(const Expr& target) const;

  // parser_postfix.cc
  Expr* parse_postfix(Expr* value);
  Expr* parse_filters(Expr* value);
  Expr* parse_filter(Expr* value);
  Expr* parse_test(Expr* value);
  Expr* parse_attribute(Expr* value);
  Expr* parse_subscript(Expr* value);
  void parse_arguments(Expr* call);
  void parse_argument(Expr* call);

  // parser_statements.cc
  Body parse_body(std::initializer_list<std::string_view> end_names);
  Body parse_block_body(std::initializer_list<std::string_view> end_names);
  Stmt* parse_statement();
  Stmt* parse_if();
  Stmt* parse_for();
  Stmt* parse_set();
  Stmt* parse_macro();
  Stmt* parse_call_block();
  Stmt* parse_filter_block();
  Stmt* parse_with();
  Stmt* parse_generation();
  Stmt* parse_loop_control(StmtKind kind);
  void parse_parameters(Stmt* macro);
  Body parse_macro_body(Stmt* macro, std::string_view end_name);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int loops_ = 0;                   // that `break` can leave here
  std::vector<Stmt*> open_macros_;  // to note which special names they use
  std::unique_ptr<Ast> ast_;
  std::optional<Error> error_;
};

}  // namespace aprx::jinja
