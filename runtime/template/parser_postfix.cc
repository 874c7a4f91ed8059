// What follows a value: .attribute, [item], (arguments), |filter, and `is` tests.
#include "runtime/template/parser_state.h"

namespace aprx::jinja {

Expr* Parser::parse_postfix(Expr* value) {
  while (ok()) {
    if (at_op(".")) {
      value = parse_attribute(value);
    } else if (at_op("[")) {
      value = parse_subscript(value);
    } else if (at_op("(")) {
      value = make(ExprKind::kCall, {value});
      parse_arguments(value);
    } else {
      break;
    }
  }
  return value;
}

Expr* Parser::parse_filters(Expr* value) {
  while (ok()) {
    if (skip_op("|")) {
      value = parse_filter(value);
    } else if (at_name("is")) {
      value = parse_test(value);
    } else if (at_op("(")) {
      value = make(ExprKind::kCall, {value});
      parse_arguments(value);
    } else {
      break;
    }
  }
  return value;
}

Expr* Parser::parse_filter(Expr* value) {
  Expr* filter = make(ExprKind::kFilter, {value});
  filter->name = expect_name();
  while (skip_op(".")) filter->name += "." + expect_name();
  if (at_op("(")) parse_arguments(filter);
  return filter;
}

Expr* Parser::parse_test(Expr* value) {
  next();  // is
  const bool is_negated = skip_name("not");
  Expr* test = make(ExprKind::kTest, {value});
  test->name = expect_name();
  while (skip_op(".")) test->name += "." + expect_name();
  const TokenKind kind = current().kind;
  const bool is_value = kind == TokenKind::kString || kind == TokenKind::kInteger ||
                        kind == TokenKind::kFloat || at_op("[") || at_op("{");
  const bool is_word = kind == TokenKind::kName && !at_name("else") && !at_name("or") && !at_name("and");
  if (at_op("(")) {
    parse_arguments(test);
  } else if (at_name("is")) {
    fail("tests can't be chained with 'is'");
  } else if (is_value || is_word) {
    test->items.push_back(parse_postfix(parse_primary()));
  }
  return is_negated ? make(ExprKind::kNot, {test}) : test;
}

Expr* Parser::parse_attribute(Expr* value) {
  next();  // .
  if (current().kind == TokenKind::kInteger) return make(ExprKind::kItem, {value, parse_number()});
  Expr* attribute = make(ExprKind::kAttribute, {value});
  attribute->name = expect_name();
  return attribute;
}

Expr* Parser::parse_subscript(Expr* value) {
  next();  // [
  const auto at_end = [this] { return at_op("]") || at_op(","); };
  Expr* start = at_op(":") ? nullptr : parse_expression();
  Expr* subscript = nullptr;
  if (skip_op(":")) {
    Expr* stop = at_op(":") || at_end() ? nullptr : parse_expression();
    Expr* step = skip_op(":") && !at_end() ? parse_expression() : nullptr;
    subscript = make(ExprKind::kSlice, {value, start, stop, step});
  } else {
    std::vector<Expr*> keys = {start};
    while (skip_op(",") && !at_op("]")) keys.push_back(parse_expression());
    Expr* key = keys.size() == 1 ? start : make(ExprKind::kTuple, std::move(keys));
    subscript = make(ExprKind::kItem, {value, key});
  }
  expect_op("]");
  return subscript;
}

void Parser::parse_argument(Expr* call) {
  const bool is_unpacked = call->unpacked != nullptr || call->unpacked_named != nullptr;
  if (skip_op("*")) {
    if (is_unpacked) fail("an argument follows an unpacked one");
    call->unpacked = parse_expression();
  } else if (skip_op("**")) {
    if (call->unpacked_named != nullptr) fail("two unpacked keyword arguments");
    call->unpacked_named = parse_expression();
  } else if (current().kind == TokenKind::kName && look_ahead().kind == TokenKind::kOperator &&
             look_ahead().text == "=") {
    if (call->unpacked_named != nullptr) fail("a keyword argument follows an unpacked one");
    std::string name = next().text;
    next();  // =
    call->named.emplace_back(std::move(name), parse_expression());
  } else {
    if (is_unpacked || !call->named.empty()) fail("a positional argument follows a keyword argument");
    call->items.push_back(parse_expression());
  }
}

void Parser::parse_arguments(Expr* call) {
  expect_op("(");
  bool is_first = true;
  while (ok() && !at_op(")")) {
    if (!is_first) expect_op(",");
    if (at_op(")")) break;
    parse_argument(call);
    is_first = false;
  }
  expect_op(")");
}

}  // namespace aprx::jinja
