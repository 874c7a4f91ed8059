#include "runtime/model/layer_kind.h"

namespace aprx {

namespace {

Result<std::string> by_tensors(const Lookup& lookup, const KindRule& rule, int64_t layer,
                               const std::vector<Source>& layers) {
  std::string kind;
  std::string held;
  std::string missed;
  int holding = 0;
  for (const auto& [name, role] : rule.cases) {
    if (const auto tensor = lookup.tensor(role, layer)) {
      kind = name;
      ++holding;
      held += (held.empty() ? "" : " and ") + name + " by " + lookup.file().tensors()[*tensor].name;
    } else {
      missed += (missed.empty() ? "" : ", ") + name + " lacks " + lookup.name_of(role, layer);
    }
  }
  if (holding == 1) return kind;
  return Error{ErrorCode::kBadFile,
               lookup.file().path(),
               "layer " + std::to_string(layer),
               holding > 1 ? "is " + held : "is of no kind: " + missed,
               "the tensors of exactly one kind of layer",
               "layers are counted by " + sources_text(layers)};
}

// What a rule over metadata says of a layer; "" where its key is absent.
struct Said {
  std::string kind;
  std::vector<Source> sources;
};

Result<Said> by_period(const Lookup& lookup, const KindRule& rule, int64_t layer) {
  const auto value = lookup.evaluate(rule.value, std::nullopt);
  if (!value) return value.error();
  if (!value->value) return Said{"", value->sources};
  const auto period = lookup.integer(rule.value, std::nullopt);
  if (!period) return period.error();
  const int64_t n = std::get<int64_t>(*period->value);
  if (n < 1) return lookup.error(period->sources, "is no period of layers", "1 or more");
  return Said{(layer + 1) % n == 0 ? rule.cases[0].first : rule.cases[1].first, period->sources};
}

Result<Said> by_key(const Lookup& lookup, const KindRule& rule, int64_t layer) {
  const auto value = lookup.evaluate(rule.value, layer);
  if (!value) return value.error();
  if (!value->value) return Said{"", value->sources};
  for (const auto& [text, kind] : rule.cases) {
    if (text == scalar_text(*value->value)) return Said{kind, value->sources};
  }
  return lookup.error(value->sources, "names no kind of layer", "");
}

Result<Said> by_metadata(const Lookup& lookup, const KindRule& rule, int64_t layer) {
  return rule.form == KindRule::Form::kEvery ? by_period(lookup, rule, layer) : by_key(lookup, rule, layer);
}

}  // namespace

Result<std::string> layer_kind(const Lookup& lookup, int64_t layer, const std::vector<Source>& layers) {
  const auto& rule = lookup.description().kinds;
  if (!rule) return std::string();
  if (rule->form == KindRule::Form::kHas) return by_tensors(lookup, *rule, layer, layers);
  auto said = by_metadata(lookup, *rule, layer);
  if (!said) return said.error();
  if (said->kind.empty())
    return Error{ErrorCode::kBadFile, lookup.file().path(), said->sources.back().key, "is missing", "", ""};
  return said->kind;
}

std::vector<std::string> cross_check_warnings(const Lookup& lookup, const std::vector<std::string>& kinds) {
  std::vector<std::string> warnings;
  for (const KindRule& rule : lookup.description().cross_checks) {
    std::string key;
    std::string layers;
    for (size_t i = 0; i < kinds.size(); ++i) {
      const auto said = by_metadata(lookup, rule, static_cast<int64_t>(i));
      if (!said) {
        // The tensors have decided; a key that makes no sense is worth telling, not a refusal.
        warnings.push_back(said.error().subject + " is not used: it " + said.error().found);
        layers.clear();
        break;
      }
      if (said->kind.empty() || said->kind == kinds[i]) continue;
      key = said->sources.front().key;
      layers += (layers.empty() ? "layer " : ", layer ") + std::to_string(i) + " is " + kinds[i] + ", not " +
                said->kind;
    }
    if (!layers.empty()) warnings.push_back(key + " disagrees with the tensors, which decide: " + layers);
  }
  return warnings;
}

}  // namespace aprx
