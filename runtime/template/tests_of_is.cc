// The tests behind `is`.
#include <array>

#include "runtime/template/builtin.h"
#include "runtime/template/compare.h"
#include "runtime/template/operators.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

Value is_defined(const Call& call) { return !call.self.is_undefined(); }
Value is_undefined(const Call& call) { return call.self.is_undefined(); }
Value is_none(const Call& call) { return call.self.is_none(); }
Value is_boolean(const Call& call) { return call.self.is_bool(); }
Value is_true(const Call& call) { return call.self.is_bool() && is_truthy(call.self); }
Value is_false(const Call& call) { return call.self.is_bool() && !is_truthy(call.self); }
Value is_integer(const Call& call) { return call.self.is_int(); }
Value is_float(const Call& call) { return call.self.is_float(); }
Value is_number(const Call& call) { return call.self.is_number(); }
Value is_string(const Call& call) { return call.self.text() != nullptr; }
Value is_mapping(const Call& call) { return call.self.mapping() != nullptr; }
Value is_escaped(const Call& call) { return call.self.text() != nullptr && call.self.text()->is_markup; }

Value is_iterable(const Call& call) {
  return call.self.is_undefined() || call.self.text() != nullptr || call.self.sequence() != nullptr ||
         call.self.mapping() != nullptr;
}

// Whatever has a length and an index operator; a dict and an undefined value do.
Value is_sequence(const Call& call) {
  const Sequence* sequence = call.self.sequence();
  if (sequence != nullptr)
    return sequence->kind != SequenceKind::kView && sequence->kind != SequenceKind::kGenerator;
  return is_iterable(call);
}

Value is_callable(const Call& call) {
  return call.self.is_undefined() || (call.self.object() != nullptr && call.self.object()->is_callable());
}

// Small values are one object each in Python, containers only if they are the same one.
Value is_sameas(const Call& call) {
  const Value& other = *call.args[0];
  if (call.self.sequence() != nullptr) return call.self.sequence() == other.sequence();
  if (call.self.mapping() != nullptr) return call.self.mapping() == other.mapping();
  return type_name(call.self) == type_name(other) && equal(call.meter, call.self, other);
}

template <Op kOp>
Value compares(const Call& call) {
  return apply_comparison(call.meter, kOp, call.self, *call.args[0]);
}

bool has_remainder(const Call& call, const Value& divisor, int64_t wanted) {
  return equal(call.meter, apply_operator(call.meter, Op::kModulo, call.self, divisor), wanted);
}

Value is_divisibleby(const Call& call) { return has_remainder(call, *call.args[0], 0); }
Value is_even(const Call& call) { return has_remainder(call, int64_t{2}, 0); }
Value is_odd(const Call& call) { return has_remainder(call, int64_t{2}, 1); }

template <std::string (*kMap)(std::string_view)>
Value is_cased(const Call& call) {
  const std::string text = str_of(call.meter, call.self);
  return kMap(text) == text && (to_upper(text) != text || to_lower(text) != text);
}

Value is_filter(const Call& call) {
  return call.self.text() != nullptr && find_filter(call.self.text()->bytes) != nullptr;
}

Value is_test(const Call& call) {
  return call.self.text() != nullptr && find_test(call.self.text()->bytes) != nullptr;
}

constexpr auto kTests = std::to_array<Builtin>({
    {"!=", "other", compares<Op::kNotEqual>},
    {"<", "other", compares<Op::kLess>},
    {"<=", "other", compares<Op::kLessEqual>},
    {"==", "other", compares<Op::kEqual>},
    {">", "other", compares<Op::kGreater>},
    {">=", "other", compares<Op::kGreaterEqual>},
    {"boolean", "", is_boolean},
    {"callable", "", is_callable},
    {"defined", "", is_defined},
    {"divisibleby", "num", is_divisibleby},
    {"eq", "other", compares<Op::kEqual>},
    {"equalto", "other", compares<Op::kEqual>},
    {"escaped", "", is_escaped},
    {"even", "", is_even},
    {"false", "", is_false},
    {"filter", "", is_filter},
    {"float", "", is_float},
    {"ge", "other", compares<Op::kGreaterEqual>},
    {"greaterthan", "other", compares<Op::kGreater>},
    {"gt", "other", compares<Op::kGreater>},
    {"in", "seq", compares<Op::kIn>},
    {"integer", "", is_integer},
    {"iterable", "", is_iterable},
    {"le", "other", compares<Op::kLessEqual>},
    {"lessthan", "other", compares<Op::kLess>},
    {"lower", "", is_cased<to_lower>},
    {"lt", "other", compares<Op::kLess>},
    {"mapping", "", is_mapping},
    {"ne", "other", compares<Op::kNotEqual>},
    {"none", "", is_none},
    {"number", "", is_number},
    {"odd", "", is_odd},
    {"sameas", "other", is_sameas},
    {"sequence", "", is_sequence},
    {"string", "", is_string},
    {"test", "", is_test},
    {"true", "", is_true},
    {"undefined", "", is_undefined},
    {"upper", "", is_cased<to_upper>},
});

}  // namespace

const Builtin* find_test(std::string_view name) { return find_builtin(kTests, name); }

}  // namespace aprx::jinja
