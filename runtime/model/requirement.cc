#include "runtime/model/requirement.h"

#include <algorithm>
#include <compare>

namespace aprx {

namespace {

std::partial_ordering order_of(const Scalar& left, const Scalar& right) {
  const auto* a = std::get_if<int64_t>(&left);
  const auto* b = std::get_if<int64_t>(&right);
  if (a != nullptr && b != nullptr) return *a <=> *b;
  const auto real = [](const Scalar& value) {
    const auto* integer = std::get_if<int64_t>(&value);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
  };
  return real(left) <=> real(right);
}

bool holds(const std::string& sign, std::partial_ordering order) {
  if (sign == "==") return order == 0;
  if (sign == "!=") return order != 0;
  if (sign == "<") return order < 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">") return order > 0;
  return order >= 0;
}

Result<void> check(const Lookup& lookup, const Comparison& comparison, LayerIndex layer) {
  const auto left = lookup.number(comparison.left, layer);
  if (!left) return left.error();
  const auto right = lookup.number(comparison.right, layer);
  if (!right) return right.error();
  if (holds(comparison.sign, order_of(*left->value, *right->value))) return {};
  std::vector<Source> sources = left->sources;
  for (const Source& source : right->sources) {
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }
  return lookup.error(sources,
                      "is not usable: " + scalar_text(*left->value) + " " + comparison.sign + " " +
                          scalar_text(*right->value) + " is false",
                      comparison.text);
}

}  // namespace

Result<void> check_requirements(const Lookup& lookup, LayerIndex layer, const std::set<std::string>& used) {
  for (const Comparison& comparison : lookup.description().requirements) {
    std::set<std::string> keys = lookup.layer_keys(comparison.left);
    keys.merge(lookup.layer_keys(comparison.right));
    if (keys.empty() == layer.has_value()) continue;
    if (layer && !std::ranges::includes(used, keys)) continue;
    if (auto ok = check(lookup, comparison, layer); !ok) return ok;
  }
  return {};
}

}  // namespace aprx
