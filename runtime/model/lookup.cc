#include "runtime/model/lookup.h"

#include <algorithm>
#include <cmath>

namespace aprx {

namespace {

using Kind = Expression::Kind;

void append(std::vector<Source>& to, const std::vector<Source>& from) {
  for (const Source& source : from) {
    if (std::ranges::find(to, source) == to.end()) to.push_back(source);
  }
}

bool is_number(const Scalar& value) {
  return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
}

double as_real(const Scalar& value) {
  const auto* integer = std::get_if<int64_t>(&value);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
}

// What an operation gives, or why it has no result.
struct Computed {
  Scalar value;
  std::string problem;
};

Computed compute_integers(Kind kind, int64_t a, int64_t b) {
  int64_t out = 0;
  bool overflows = false;
  switch (kind) {
    case Kind::kAdd: overflows = __builtin_add_overflow(a, b, &out); break;
    case Kind::kSubtract: overflows = __builtin_sub_overflow(a, b, &out); break;
    case Kind::kMultiply: overflows = __builtin_mul_overflow(a, b, &out); break;
    default:
      if (b == 0) return {0, "division by zero"};
      if (b == -1) return compute_integers(Kind::kSubtract, 0, kind == Kind::kDivide ? a : 0);
      if (kind == Kind::kDivide && a % b != 0)
        return {0, std::to_string(a) + " is not a multiple of " + std::to_string(b)};
      out = kind == Kind::kDivide ? a / b : a % b;
  }
  if (overflows) return {0, "the result is larger than 64 bits"};
  return {out, ""};
}

Computed compute(Kind kind, const Scalar& a, const Scalar& b) {
  const auto* x = std::get_if<int64_t>(&a);
  const auto* y = std::get_if<int64_t>(&b);
  if (x != nullptr && y != nullptr) return compute_integers(kind, *x, *y);
  const double left = as_real(a);
  const double right = as_real(b);
  switch (kind) {
    case Kind::kAdd: return {left + right, ""};
    case Kind::kSubtract: return {left - right, ""};
    case Kind::kMultiply: return {left * right, ""};
    default: break;
  }
  if (right == 0) return {0, "division by zero"};
  return {kind == Kind::kDivide ? left / right : std::fmod(left, right), ""};
}

std::string with_layer(std::string name, LayerIndex layer) {
  const size_t at = name.find("{i}");
  if (at != std::string::npos && layer) name.replace(at, 3, std::to_string(*layer));
  return name;
}

}  // namespace

std::string sources_text(const std::vector<Source>& sources) {
  std::string out;
  for (const Source& source : sources) out += (out.empty() ? "" : ", ") + source.text();
  return out;
}

Error Lookup::error(const std::vector<Source>& sources, std::string found, std::string expected) const {
  Error out{ErrorCode::kBadFile, file_.path(), "", std::move(found), std::move(expected), ""};
  if (!sources.empty()) out.subject = sources.front().key;
  if (!sources.empty()) out.found += " (" + sources_text(sources) + ")";
  return out;
}

Error Lookup::type_error(const Evaluated& evaluated, const std::string& expected) const {
  // Of several values the real one is at fault where integers are wanted.
  auto blamed = std::ranges::find(evaluated.sources, true, &Source::is_real);
  if (blamed == evaluated.sources.end()) blamed = evaluated.sources.begin();
  if (blamed == evaluated.sources.end()) return error({}, "is " + scalar_text(*evaluated.value), expected);
  return {ErrorCode::kBadFile,
          file_.path(),
          blamed->key,
          "has type " + blamed->type_name + " (" + blamed->value + ")",
          expected,
          ""};
}

Result<Evaluated> Lookup::evaluate(const Expression& expression, LayerIndex layer) const {
  switch (expression.kind) {
    case Kind::kNumber: return Evaluated{expression.value, {}};
    case Kind::kKey: return key(expression, layer);
    case Kind::kFileKey: return file_key(expression.name, expression, layer);
    case Kind::kName: return evaluate(description_.lets.find(expression.name)->second, layer);
    case Kind::kAxis: return axis(expression, layer);
    case Kind::kElse: return alternatives(expression, layer);
    default: return arithmetic(expression, layer);
  }
}

Result<Evaluated> Lookup::scalar(const Expression& expression, LayerIndex layer) const {
  auto out = evaluate(expression, layer);
  if (!out || out->value) return out;
  return Error{ErrorCode::kBadFile, file_.path(), out->sources.back().key, "is missing", "", ""};
}

Result<Evaluated> Lookup::number(const Expression& expression, LayerIndex layer) const {
  auto out = scalar(expression, layer);
  if (out && !is_number(*out->value)) return type_error(*out, "a number");
  return out;
}

Result<Evaluated> Lookup::integer(const Expression& expression, LayerIndex layer) const {
  auto out = number(expression, layer);
  if (out && !std::holds_alternative<int64_t>(*out->value)) return type_error(*out, "an integer");
  return out;
}

Result<Evaluated> Lookup::key(const Expression& expression, LayerIndex layer) const {
  const auto mapped = scheme_.keys.find(expression.name);
  if (mapped != scheme_.keys.end()) return evaluate(mapped->second, layer);
  return file_key(architecture_ + "." + expression.name, expression, layer);
}

Result<Evaluated> Lookup::file_key(const std::string& name, const Expression& expression,
                                   LayerIndex layer) const {
  Source source{.key = name, .value = {}, .type_name = {}};
  const Fact* fact = file_.find(name);
  if (fact == nullptr) return Evaluated{std::nullopt, {source}};
  source.type_name = fact->type_name;
  if (fact->values.empty() || (fact->is_array && expression.index == Expression::kNoIndex)) {
    source.value = fact->is_array ? "a list" : "out of range";
    return type_error({std::nullopt, {source}}, fact->is_array ? "one value" : "a number of 64 bits");
  }
  size_t at = 0;
  if (fact->is_array && expression.index == Expression::kThisLayer) {
    if (!layer) return error({source}, "is wanted for a layer outside of layers", "");
    at = static_cast<size_t>(*layer);
  } else if (fact->is_array) {
    at = static_cast<size_t>(expression.index);
  }
  if (at >= fact->values.size()) {
    return Error{ErrorCode::kBadFile,
                 file_.path(),
                 name,
                 "has " + std::to_string(fact->values.size()) + " items",
                 "at least " + std::to_string(at + 1),
                 ""};
  }
  if (fact->is_array) source.element = "[" + std::to_string(at) + "]";
  source.value = scalar_text(fact->values[at]);
  source.is_real = std::holds_alternative<double>(fact->values[at]);
  return Evaluated{fact->values[at], {source}};
}

Result<Evaluated> Lookup::axis(const Expression& expression, LayerIndex layer) const {
  const std::optional<size_t> index = tensor(expression.name, layer);
  Source source{.key = name_of(expression.name, layer), .value = {}, .type_name = {}};
  if (!index) return Evaluated{std::nullopt, {source}};
  const FileTensor& found = file_.tensors()[*index];
  source = {.key = found.name, .value = "shape", .type_name = "tensor"};
  const auto at = static_cast<size_t>(expression.index);
  if (at >= found.shape.size())
    return error({source}, "has " + std::to_string(found.shape.size()) + " dimensions",
                 "more than " + std::to_string(at));
  source.key += " axis " + std::to_string(at);
  source.value = std::to_string(found.shape[at]);
  return Evaluated{found.shape[at], {source}};
}

Result<Evaluated> Lookup::alternatives(const Expression& expression, LayerIndex layer) const {
  Evaluated out;
  for (const Expression& part : expression.parts) {
    auto value = evaluate(part, layer);
    if (!value) return value;
    append(out.sources, value->sources);
    out.value = value->value;
    if (out.value) return out;
  }
  return out;
}

Result<Evaluated> Lookup::arithmetic(const Expression& expression, LayerIndex layer) const {
  Evaluated out;
  std::vector<Scalar> values;
  for (const Expression& part : expression.parts) {
    auto value = evaluate(part, layer);
    if (!value) return value;
    append(out.sources, value->sources);
    if (!value->value) return Evaluated{std::nullopt, value->sources};
    if (!is_number(*value->value)) return type_error(*value, "a number");
    values.push_back(*value->value);
  }
  Computed result;
  if (expression.kind == Kind::kNegate) {
    result = compute(Kind::kSubtract, int64_t{0}, values[0]);
  } else if (expression.kind == Kind::kSquareRoot) {
    const double real = as_real(values[0]);
    result = {std::sqrt(real), real < 0 ? "the root of a negative number" : ""};
  } else {
    result = compute(expression.kind, values[0], values[1]);
  }
  if (!result.problem.empty()) return error(out.sources, "can't be computed with: " + result.problem, "");
  out.value = result.value;
  return out;
}

std::set<std::string> Lookup::layer_keys(const Expression& expression) const {
  std::set<std::string> keys;
  if (expression.index == Expression::kThisLayer) keys.insert(expression.name);
  if (expression.kind == Kind::kName) keys = layer_keys(description_.lets.find(expression.name)->second);
  for (const Expression& part : expression.parts) keys.merge(layer_keys(part));
  return keys;
}

std::optional<size_t> Lookup::tensor(const std::string& role, LayerIndex layer) const {
  for (const std::string& name : scheme_.names.find(role)->second) {
    if (const auto found = file_.find_tensor(with_layer(name, layer))) return found;
  }
  return std::nullopt;
}

std::string Lookup::name_of(const std::string& role, LayerIndex layer) const {
  return with_layer(scheme_.names.find(role)->second.front(), layer);
}

}  // namespace aprx
