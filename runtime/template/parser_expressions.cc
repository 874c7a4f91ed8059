// Expressions, from the weakest binding to the strongest: inline if, or, and, not, comparisons, + -, ~,
// * / // %, **, unary signs, single values. And what can be assigned to.
#include <array>
#include <span>

#include "runtime/template/number_text.h"
#include "runtime/template/parser_state.h"

namespace aprx::jinja {

namespace {

struct Symbol {
  std::string_view text;
  Op op;
};

constexpr auto kComparisons = std::to_array<Symbol>({{"==", Op::kEqual},
                                                     {"!=", Op::kNotEqual},
                                                     {"<", Op::kLess},
                                                     {"<=", Op::kLessEqual},
                                                     {">", Op::kGreater},
                                                     {">=", Op::kGreaterEqual}});
constexpr auto kSums = std::to_array<Symbol>({{"+", Op::kAdd}, {"-", Op::kSubtract}});
constexpr auto kProducts = std::to_array<Symbol>(
    {{"*", Op::kMultiply}, {"/", Op::kDivide}, {"//", Op::kFloorDivide}, {"%", Op::kModulo}});

std::optional<Op> find_op(std::span<const Symbol> symbols, const Token& token) {
  if (token.kind != TokenKind::kOperator) return std::nullopt;
  for (const Symbol& symbol : symbols) {
    if (symbol.text == token.text) return symbol.op;
  }
  return std::nullopt;
}

bool is_constant_name(std::string_view name) {
  return name == "true" || name == "True" || name == "false" || name == "False" || name == "none" ||
         name == "None";
}

}  // namespace

Expr* Parser::parse_expression() {
  const Level level(*this);
  Expr* value = parse_or();
  while (skip_name("if")) {
    Expr* test = parse_or();
    Expr* otherwise = skip_name("else") ? parse_expression() : nullptr;
    value = make(ExprKind::kConditional, {value, test, otherwise});
  }
  return value;
}

Expr* Parser::parse_or() {
  Expr* left = parse_and();
  while (skip_name("or")) left = make(ExprKind::kOr, {left, parse_and()});
  return left;
}

Expr* Parser::parse_and() {
  Expr* left = parse_not();
  while (skip_name("and")) left = make(ExprKind::kAnd, {left, parse_not()});
  return left;
}

Expr* Parser::parse_not() {
  if (!skip_name("not")) return parse_compare();
  const Level level(*this);
  return make(ExprKind::kNot, {parse_not()});
}

Expr* Parser::parse_compare() {
  std::vector<Expr*> items = {parse_sum()};
  std::vector<Op> ops;
  while (ok()) {
    if (const auto op = find_op(kComparisons, current())) {
      ops.push_back(*op);
      next();
    } else if (skip_name("in")) {
      ops.push_back(Op::kIn);
    } else if (at_name("not") && look_ahead().kind == TokenKind::kName && look_ahead().text == "in") {
      ops.push_back(Op::kNotIn);
      next();
      next();
    } else {
      break;
    }
    items.push_back(parse_sum());
  }
  if (ops.empty()) return items.front();
  Expr* compare = make(ExprKind::kCompare, std::move(items));
  compare->ops = std::move(ops);
  return compare;
}

Expr* Parser::parse_sum() {
  Expr* left = parse_concat();
  while (const auto op = find_op(kSums, current())) {
    next();
    left = make(ExprKind::kBinary, {left, parse_concat()});
    left->ops = {*op};
  }
  return left;
}

Expr* Parser::parse_concat() {
  std::vector<Expr*> items = {parse_product()};
  while (skip_op("~")) items.push_back(parse_product());
  return items.size() == 1 ? items.front() : make(ExprKind::kConcat, std::move(items));
}

Expr* Parser::parse_product() {
  Expr* left = parse_power();
  while (const auto op = find_op(kProducts, current())) {
    next();
    left = make(ExprKind::kBinary, {left, parse_power()});
    left->ops = {*op};
  }
  return left;
}

Expr* Parser::parse_power() {
  Expr* left = parse_unary();
  while (skip_op("**")) {
    left = make(ExprKind::kBinary, {left, parse_unary()});
    left->ops = {Op::kPower};
  }
  return left;
}

Expr* Parser::parse_unary(bool with_filters) {
  const Level level(*this);
  Expr* value = nullptr;
  if (skip_op("-")) {
    value = make(ExprKind::kNegate, {parse_unary(false)});
  } else if (skip_op("+")) {
    value = make(ExprKind::kPlus, {parse_unary(false)});
  } else {
    value = parse_primary();
  }
  value = parse_postfix(value);
  return with_filters ? parse_filters(value) : value;
}

Expr* Parser::parse_primary() {
  switch (current().kind) {
    case TokenKind::kName: return parse_name();
    case TokenKind::kInteger:
    case TokenKind::kFloat: return parse_number();
    case TokenKind::kString: {
      Expr* literal = make(ExprKind::kLiteral);
      std::string text;
      while (current().kind == TokenKind::kString) text += next().text;
      literal->literal = literal_text(std::move(text));
      return literal;
    }
    default: break;
  }
  if (at_op("[")) return parse_list();
  if (at_op("{")) return parse_dict();
  if (skip_op("(")) {
    Expr* inside = parse_tuple(true, {}, true);
    expect_op(")");
    return inside;
  }
  fail_unexpected("an expression");
  return make(ExprKind::kLiteral);
}

Expr* Parser::parse_name() {
  const bool is_constant = is_constant_name(current().text);
  Expr* expr = make(is_constant ? ExprKind::kLiteral : ExprKind::kName);
  expr->name = next().text;
  if (is_constant) {
    const char first = static_cast<char>(expr->name[0] | 0x20);
    expr->literal = first == 'n' ? Value(None{}) : Value(first == 't');
  }
  for (Stmt* macro : open_macros_) {
    macro->uses_varargs |= expr->name == "varargs";
    macro->uses_kwargs |= expr->name == "kwargs";
    macro->uses_caller |= expr->name == "caller";
  }
  return expr;
}

Expr* Parser::parse_number() {
  Expr* literal = make(ExprKind::kLiteral);
  if (current().kind == TokenKind::kFloat) {
    literal->literal = parse_float(current().text).value_or(0.0);
  } else if (const auto number = parse_integer(current().text, 0)) {
    literal->literal = *number;
  } else {
    fail("the number " + current().text + " does not fit in 64 bits");
  }
  next();
  return literal;
}

Expr* Parser::parse_list() {
  Expr* list = make(ExprKind::kList);
  expect_op("[");
  while (ok() && !at_op("]")) {
    if (!list->items.empty()) expect_op(",");
    if (at_op("]")) break;
    list->items.push_back(parse_expression());
  }
  expect_op("]");
  return list;
}

Expr* Parser::parse_dict() {
  Expr* dict = make(ExprKind::kDict);
  expect_op("{");
  while (ok() && !at_op("}")) {
    if (!dict->items.empty()) expect_op(",");
    if (at_op("}")) break;
    dict->items.push_back(parse_expression());
    expect_op(":");
    dict->items.push_back(parse_expression());
  }
  expect_op("}");
  return dict;
}

Expr* Parser::parse_tuple(bool with_conditional, std::string_view end_name, bool in_parentheses) {
  std::vector<Expr*> items;
  bool is_tuple = false;
  while (ok()) {
    const bool is_end = current().kind == TokenKind::kVariableEnd || current().kind == TokenKind::kBlockEnd ||
                        at_op(")") || (!end_name.empty() && at_name(end_name));
    if (is_end) break;
    items.push_back(with_conditional ? parse_expression() : parse_or());
    if (!skip_op(",")) break;
    is_tuple = true;
  }
  if (is_tuple) return make(ExprKind::kTuple, std::move(items));
  if (!items.empty()) return items.front();
  if (!in_parentheses) fail_unexpected("an expression");
  return make(ExprKind::kTuple);
}

bool Parser::is_assignable(const Expr& target) const {
  if (target.kind == ExprKind::kName) return true;
  if (target.kind != ExprKind::kTuple) return false;
  for (const Expr* item : target.items) {
    if (!is_assignable(*item)) return false;
  }
  return true;
}

Expr* Parser::parse_target(std::string_view end_name, bool with_namespace) {
  if (with_namespace && look_ahead().kind == TokenKind::kOperator && look_ahead().text == ".") {
    Expr* space = parse_primary();
    if (space->kind != ExprKind::kName) fail("only attributes of a namespace can be assigned");
    return parse_attribute(space);
  }
  std::vector<Expr*> items;
  bool is_tuple = false;
  while (ok()) {
    if (current().kind == TokenKind::kBlockEnd || (!end_name.empty() && at_name(end_name))) break;
    items.push_back(parse_primary());
    if (!skip_op(",")) break;
    is_tuple = true;
  }
  if (items.empty()) fail_unexpected("a name to assign to");
  Expr* target = is_tuple || items.empty() ? make(ExprKind::kTuple, std::move(items)) : items.front();
  if (ok() && !is_assignable(*target)) fail("only names can be assigned to");
  return target;
}

}  // namespace aprx::jinja
