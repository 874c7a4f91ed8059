#include "runtime/template/operators.h"

#include <array>
#include <cmath>

#include "runtime/template/compare.h"
#include "runtime/template/format.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

constexpr std::array<const char*, 15> kSymbols = {
    "+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "in", "not in"};

Value fail(Meter& meter, std::string what) {
  meter.fail(std::move(what));
  return {};
}

Value unsupported(Meter& meter, Op op, const Value& left, const Value& right) {
  if (op == Op::kAdd && left.text() != nullptr) {
    return fail(meter, "can only concatenate str (not \"" + type_name(right) + "\") to str");
  }
  return fail(meter, std::string("unsupported operand types for ") + kSymbols[static_cast<size_t>(op)] +
                         ": '" + type_name(left) + "' and '" + type_name(right) + "'");
}

Value integer_power(Meter& meter, int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) return fail(meter, "0 cannot be raised to a negative power");
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  int64_t result = 1;
  bool overflows = false;
  while (exponent > 0 && !overflows) {
    if ((exponent & 1) != 0) overflows = __builtin_mul_overflow(result, base, &result);
    exponent >>= 1;
    if (exponent > 0) overflows = __builtin_mul_overflow(base, base, &base) || overflows;
  }
  if (overflows) return fail(meter, "an integer does not fit in 64 bits");
  return result;
}

Value divide_integers(Meter& meter, Op op, int64_t left, int64_t right) {
  if (right == 0) return fail(meter, "division by zero");
  if (op == Op::kDivide) return static_cast<double>(left) / static_cast<double>(right);
  // The one quotient that overflows.
  if (right == -1)
    return op == Op::kModulo ? Value(int64_t{0}) : apply_operator(meter, Op::kSubtract, int64_t{0}, left);
  const int64_t remainder = left % right;
  const bool rounds_down = remainder != 0 && (remainder < 0) != (right < 0);
  if (op == Op::kModulo) return remainder + (rounds_down ? right : 0);
  return left / right - (rounds_down ? 1 : 0);
}

Value calculate_integers(Meter& meter, Op op, int64_t left, int64_t right) {
  int64_t result = 0;
  bool overflows = false;
  switch (op) {
    case Op::kAdd: overflows = __builtin_add_overflow(left, right, &result); break;
    case Op::kSubtract: overflows = __builtin_sub_overflow(left, right, &result); break;
    case Op::kMultiply: overflows = __builtin_mul_overflow(left, right, &result); break;
    case Op::kPower: return integer_power(meter, left, right);
    default: return divide_integers(meter, op, left, right);
  }
  if (overflows) return fail(meter, "an integer does not fit in 64 bits");
  return result;
}

double float_modulo(double left, double right) {
  const double remainder = std::fmod(left, right);
  if (remainder == 0) return std::copysign(0.0, right);
  return (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

Value calculate_floats(Meter& meter, Op op, double left, double right) {
  switch (op) {
    case Op::kAdd: return left + right;
    case Op::kSubtract: return left - right;
    case Op::kMultiply: return left * right;
    case Op::kPower:
      if (left < 0 && right != std::floor(right)) return fail(meter, "a power is not a real number");
      if (left == 0 && right < 0) return fail(meter, "0.0 cannot be raised to a negative power");
      return std::pow(left, right);
    default: break;
  }
  if (right == 0) return fail(meter, "float division by zero");
  if (op == Op::kDivide) return left / right;
  const double remainder = float_modulo(left, right);
  if (op == Op::kModulo) return remainder;
  return std::round((left - remainder) / right);
}

// A text that joins markup is escaped first.
std::string joining_markup(const Text& text) {
  return text.is_markup ? text.bytes : html_escaped(text.bytes);
}

Value joined(Meter& meter, const Text& left, const Text& right) {
  if (!meter.fits(left.bytes.size() + right.bytes.size())) return {};
  if (!left.is_markup && !right.is_markup) return make_text(meter, left.bytes + right.bytes);
  return make_text(meter, joining_markup(left) + joining_markup(right), true);
}

Value joined(Meter& meter, const Sequence& left, const Sequence& right) {
  if (!meter.fits((left.items.size() + right.items.size()) * sizeof(Value))) return {};
  Values items = left.items;
  items.insert(items.end(), right.items.begin(), right.items.end());
  return make_sequence(meter, left.kind == SequenceKind::kList ? SequenceKind::kList : SequenceKind::kTuple,
                       std::move(items));
}

Value multiplied(Meter& meter, const Value& value, int64_t count) {
  const size_t times = count > 0 ? static_cast<size_t>(count) : 0;
  const Text* text = value.text();
  const size_t unit = text != nullptr ? text->bytes.size() : value.sequence()->items.size() * sizeof(Value);
  size_t total = 0;
  if (__builtin_mul_overflow(unit, times, &total)) total = SIZE_MAX;
  if (!meter.fits(total)) return {};
  if (text != nullptr)
    return make_text(meter, unit == 0 ? "" : repeated(text->bytes, times), text->is_markup);
  Values items;
  const Sequence& sequence = *value.sequence();
  for (size_t i = 0; i < times && unit > 0; ++i)
    items.insert(items.end(), sequence.items.begin(), sequence.items.end());
  return make_sequence(meter,
                       sequence.kind == SequenceKind::kList ? SequenceKind::kList : SequenceKind::kTuple,
                       std::move(items));
}

bool is_list(const Value& value) {
  return value.sequence() != nullptr && value.sequence()->kind == SequenceKind::kList;
}
bool is_tuple(const Value& value) {
  return value.sequence() != nullptr &&
         (value.sequence()->kind == SequenceKind::kTuple || value.sequence()->kind == SequenceKind::kGroup);
}
bool is_repeatable(const Value& value) {
  return value.text() != nullptr || is_list(value) || is_tuple(value);
}

}  // namespace

Value apply_operator(Meter& meter, Op op, const Value& left, const Value& right) {
  if (left.is_undefined()) return fail(meter, left.why());
  if (op == Op::kModulo && left.text() != nullptr) return format_percent(meter, *left.text(), right);
  if (right.is_undefined()) return fail(meter, right.why());
  if (left.is_number() && right.is_number()) {
    if (left.is_float() || right.is_float())
      return calculate_floats(meter, op, left.number(), right.number());
    return calculate_integers(meter, op, *left.integer(), *right.integer());
  }
  if (op == Op::kAdd) {
    if (left.text() != nullptr && right.text() != nullptr) return joined(meter, *left.text(), *right.text());
    if ((is_list(left) && is_list(right)) || (is_tuple(left) && is_tuple(right))) {
      return joined(meter, *left.sequence(), *right.sequence());
    }
  }
  if (op == Op::kMultiply) {
    if (is_repeatable(left) && right.integer()) return multiplied(meter, left, *right.integer());
    if (is_repeatable(right) && left.integer()) return multiplied(meter, right, *left.integer());
  }
  return unsupported(meter, op, left, right);
}

bool apply_comparison(Meter& meter, Op op, const Value& left, const Value& right) {
  const auto is_nan = [](const Value& value) { return value.is_float() && std::isnan(value.number()); };
  switch (op) {
    case Op::kEqual: return equal(meter, left, right);
    case Op::kNotEqual: return !equal(meter, left, right);
    case Op::kIn: return contains(meter, right, left);
    case Op::kNotIn: return !contains(meter, right, left);
    case Op::kLess: return is_less(meter, left, right, "<");
    case Op::kGreater: return is_less(meter, right, left, ">");
    case Op::kLessEqual: return !is_less(meter, right, left, "<=") && !is_nan(left) && !is_nan(right);
    default: return !is_less(meter, left, right, ">=") && !is_nan(left) && !is_nan(right);
  }
}

Value negated(Meter& meter, const Value& value) {
  if (value.is_undefined()) return fail(meter, value.why());
  if (value.is_float()) return -value.number();
  if (value.integer()) return calculate_integers(meter, Op::kSubtract, 0, *value.integer());
  return fail(meter, "bad operand type for unary -: '" + type_name(value) + "'");
}

}  // namespace aprx::jinja
