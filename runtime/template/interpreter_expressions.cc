#include "runtime/template/access.h"
#include "runtime/template/compare.h"
#include "runtime/template/interpreter.h"
#include "runtime/template/operators.h"
#include "runtime/template/print.h"

namespace aprx::jinja {

Value Interpreter::eval(const Expr& expr) {
  const Frame frame(meter_, expr.line);
  if (!frame.entered()) return {};
  switch (expr.kind) {
    case ExprKind::kLiteral: return expr.literal;
    case ExprKind::kName: return eval_name(expr);
    case ExprKind::kList: return make_list(meter_, eval_items(expr));
    case ExprKind::kTuple: return make_tuple(meter_, eval_items(expr));
    case ExprKind::kDict: return eval_dict(expr);
    case ExprKind::kAttribute: return attribute_of(meter_, eval(*expr.items[0]), expr.name);
    case ExprKind::kItem: {
      const Value owner = eval(*expr.items[0]);
      return item_of(meter_, owner, eval(*expr.items[1]));
    }
    case ExprKind::kSlice: return eval_slice(expr);
    case ExprKind::kCall: return eval_call(expr);
    case ExprKind::kFilter: return eval_filter(expr);
    case ExprKind::kTest: {
      const Value tested = eval(*expr.items[0]);
      return run_test(meter_, expr.name, tested, eval_arguments(expr));
    }
    case ExprKind::kNot: return !is_truthy(eval(*expr.items[0]));
    case ExprKind::kNegate: return negated(meter_, eval(*expr.items[0]));
    case ExprKind::kPlus: return eval_plus(expr);
    case ExprKind::kBinary: {
      const Value left = eval(*expr.items[0]);
      const Value right = eval(*expr.items[1]);
      return meter_.ok() ? apply_operator(meter_, expr.ops[0], left, right) : Value();
    }
    case ExprKind::kCompare: return eval_compare(expr);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      Value left = eval(*expr.items[0]);
      return is_truthy(left) == (expr.kind == ExprKind::kOr) ? left : eval(*expr.items[1]);
    }
    case ExprKind::kConcat: return eval_concat(expr);
    case ExprKind::kConditional: return eval_conditional(expr);
  }
  return {};
}

Value Interpreter::eval_name(const Expr& expr) {
  const Value* found = scope_->find(expr.name);
  return found != nullptr ? *found : make_undefined("'" + expr.name + "' is undefined");
}

Values Interpreter::eval_items(const Expr& expr) {
  Values items;
  for (const Expr* item : expr.items) items.push_back(eval(*item));
  return items;
}

Value Interpreter::eval_dict(const Expr& expr) {
  Entries entries;
  for (size_t i = 0; i + 1 < expr.items.size() && meter_.ok(); i += 2) {
    Value key = eval(*expr.items[i]);
    put_entry(meter_, entries, std::move(key), eval(*expr.items[i + 1]));
  }
  return make_mapping(meter_, std::move(entries));
}

Value Interpreter::eval_slice(const Expr& expr) {
  const Value owner = eval(*expr.items[0]);
  const auto bound = [this](const Expr* part) -> std::optional<int64_t> {
    if (part == nullptr) return std::nullopt;
    const Value value = eval(*part);
    if (!value.is_none() && !value.integer())
      meter_.fail("slice indices must be integers or None, not " + type_name(value));
    return value.integer();
  };
  Slice slice;
  slice.start = bound(expr.items[1]);
  slice.stop = bound(expr.items[2]);
  slice.step = bound(expr.items[3]);
  return slice_of(meter_, owner, slice);
}

// Of calls, filters and tests alike: items[0] is what they apply to.
Arguments Interpreter::eval_arguments(const Expr& expr) {
  Arguments out;
  for (size_t i = 1; i < expr.items.size(); ++i) out.positional.push_back(eval(*expr.items[i]));
  for (const auto& [name, value] : expr.named) out.named.emplace_back(name, eval(*value));
  if (expr.unpacked != nullptr) {
    for (Value& value : items_of(meter_, eval(*expr.unpacked))) out.positional.push_back(std::move(value));
  }
  if (expr.unpacked_named == nullptr) return out;
  const Value named = eval(*expr.unpacked_named);
  if (named.mapping() == nullptr) {
    meter_.fail("the argument after ** must be a mapping, not " + type_name(named));
    return out;
  }
  for (const auto& [key, value] : named.mapping()->entries) {
    if (key.text() == nullptr) meter_.fail("keywords must be strings");
    out.named.emplace_back(str_of(meter_, key), value);
  }
  return out;
}

Value Interpreter::eval_call(const Expr& expr, const Value* caller) {
  const Expr& callee = *expr.items[0];
  const bool is_method = callee.kind == ExprKind::kAttribute;
  const Value target = eval(is_method ? *callee.items[0] : callee);
  Arguments arguments = eval_arguments(expr);
  if (caller != nullptr) arguments.named.emplace_back("caller", *caller);
  if (!meter_.ok()) return {};
  return is_method ? call_method(meter_, target, callee.name, arguments)
                   : call_value(meter_, target, arguments);
}

Value Interpreter::eval_filter(const Expr& expr, const Value* input) {
  const Frame frame(meter_, expr.line);
  if (!frame.entered()) return {};
  // The innermost filter of a filter block has no input of its own.
  Value value;
  if (expr.items[0] == nullptr) {
    value = *input;
  } else {
    value =
        expr.items[0]->kind == ExprKind::kFilter ? eval_filter(*expr.items[0], input) : eval(*expr.items[0]);
  }
  const Arguments arguments = eval_arguments(expr);
  return meter_.ok() ? run_filter(meter_, expr.name, value, arguments) : Value();
}

Value Interpreter::eval_plus(const Expr& expr) {
  Value value = eval(*expr.items[0]);
  if (value.is_float()) return value;
  if (const auto number = value.integer()) return *number;
  meter_.fail(value.is_undefined() ? value.why()
                                   : "bad operand type for unary +: '" + type_name(value) + "'");
  return {};
}

Value Interpreter::eval_compare(const Expr& expr) {
  Value left = eval(*expr.items[0]);
  for (size_t i = 0; i < expr.ops.size() && meter_.ok(); ++i) {
    Value right = eval(*expr.items[i + 1]);
    if (!meter_.ok() || !apply_comparison(meter_, expr.ops[i], left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Interpreter::eval_concat(const Expr& expr) {
  std::string text;
  for (const Expr* item : expr.items) {
    const Value value = eval(*item);
    if (value.text() != nullptr && !meter_.fits(text.size() + value.text()->bytes.size())) return {};
    text += str_of(meter_, value);
  }
  return make_text(meter_, std::move(text));
}

Value Interpreter::eval_conditional(const Expr& expr) {
  if (is_truthy(eval(*expr.items[1]))) return eval(*expr.items[0]);
  if (expr.items[2] != nullptr) return eval(*expr.items[2]);
  return make_undefined("the inline if on line " + std::to_string(expr.line) + " is false and has no else");
}

}  // namespace aprx::jinja
