// Filters on single values and numbers.
#include <array>
#include <cmath>

#include "runtime/template/access.h"
#include "runtime/template/filters.h"
#include "runtime/template/number_text.h"
#include "runtime/template/operators.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

Value default_value(const Call& call) {
  const bool replaces = call.self.is_undefined() || (call.flag(1, false) && !is_truthy(call.self));
  return replaces ? call.value(0, literal_text("")) : call.self;
}

Value length(const Call& call) {
  if (const auto count = length_of(call.self)) return *count;
  return call.fail("object of type '" + type_name(call.self) + "' has no len()");
}

std::optional<int64_t> truncated(double number) {
  if (!(number > -9.2e18 && number < 9.2e18)) return std::nullopt;
  return static_cast<int64_t>(number);
}

Value to_int(const Call& call) {
  if (call.self.is_undefined()) return call.fail(call.self.why());
  const Value otherwise = call.value(0, int64_t{0});
  if (const auto number = call.self.integer()) return *number;
  std::optional<int64_t> number;
  if (call.self.is_float()) number = truncated(call.self.number());
  if (const Text* text = call.self.text()) {
    number = parse_integer(text->bytes, static_cast<int>(call.integer(1, 10)));
    const auto real = number ? std::nullopt : parse_float(text->bytes);
    if (real) number = truncated(*real);
  }
  return number ? Value(*number) : otherwise;
}

Value to_float(const Call& call) {
  if (call.self.is_undefined()) return call.fail(call.self.why());
  if (call.self.is_number()) return call.self.number();
  const auto number = call.self.text() != nullptr ? parse_float(call.self.text()->bytes) : std::nullopt;
  return number ? Value(*number) : call.value(0, 0.0);
}

Value absolute(const Call& call) {
  if (!call.self.is_number()) {
    return call.fail(call.self.is_undefined() ? call.self.why()
                                              : "bad operand type for abs(): '" + type_name(call.self) + "'");
  }
  if (call.self.is_float()) return std::fabs(call.self.number());
  return *call.self.integer() < 0 ? negated(call.meter, call.self) : Value(*call.self.integer());
}

// Python rounds the exact binary value, ties to even digits; so does writing it with that many digits.
double rounded(double number, int digits) {
  if (digits >= 0)
    return parse_float(fixed_text(number, 'f', digits)).value_or(0) * (std::signbit(number) ? -1 : 1);
  const double unit = std::pow(10.0, -digits);
  return std::nearbyint(number / unit) * unit;
}

Value round(const Call& call) {
  const int64_t digits = call.integer(0, 0);
  const std::string_view method = call.text(1, "common");
  if (method != "common" && method != "ceil" && method != "floor") {
    return call.fail("method must be common, ceil or floor");
  }
  if (!call.self.is_number() || digits > kMaxPrecision || digits < -kMaxPrecision) {
    return call.fail("round needs a number, not " + type_name(call.self));
  }
  if (method == "common") {
    if (!call.self.is_float() && digits >= 0) return *call.self.integer();
    const double number = call.self.number();
    if (!std::isfinite(number)) return number;
    const double result = rounded(number, static_cast<int>(digits));
    return call.self.is_float() ? Value(result) : Value(static_cast<int64_t>(result));
  }
  const double unit = std::pow(10.0, static_cast<double>(digits));
  const double scaled = call.self.number() * unit;
  return (method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit;
}

Value attr(const Call& call) {
  if (call.self.mapping() != nullptr) return make_undefined("a dict has no attributes, only items");
  return attribute_of(call.meter, call.self, call.text(0, {}));
}

constexpr auto kFilters = std::to_array<Builtin>({
    {"abs", "", absolute},
    {"attr", "name", attr},
    {"count", "", length},
    {"d", "default_value? boolean?", default_value},
    {"default", "default_value? boolean?", default_value},
    {"float", "default?", to_float},
    {"int", "default? base?", to_int},
    {"length", "", length},
    {"round", "precision? method?", round},
});

}  // namespace

std::span<const Builtin> value_filters() { return kFilters; }

const Builtin* find_filter(std::string_view name) {
  for (const auto table : {text_filters(), value_filters(), sequence_filters(), selecting_filters()}) {
    if (const Builtin* found = find_builtin(table, name)) return found;
  }
  return nullptr;
}

}  // namespace aprx::jinja
