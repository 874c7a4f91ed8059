// Methods of dict, list and tuple: those that read. The ones that change a value don't exist here.
#include <algorithm>
#include <array>

#include "runtime/template/builtin.h"
#include "runtime/template/compare.h"

namespace aprx::jinja {

namespace {

Value keys(const Call& call) {
  return make_sequence(call.meter, SequenceKind::kView, items_of(call.meter, call.self), "dict_keys");
}

Value values(const Call& call) {
  Values out;
  for (const auto& entry : call.self.mapping()->entries) out.push_back(entry.second);
  return make_sequence(call.meter, SequenceKind::kView, std::move(out), "dict_values");
}

Value items(const Call& call) {
  Values out;
  for (const auto& [key, value] : call.self.mapping()->entries)
    out.push_back(make_tuple(call.meter, {key, value}));
  return make_sequence(call.meter, SequenceKind::kView, std::move(out), "dict_items");
}

Value get(const Call& call) {
  if (!is_hashable(*call.args[0])) return call.fail("unhashable type: '" + type_name(*call.args[0]) + "'");
  const Value* found = find_entry(call.meter, *call.self.mapping(), *call.args[0]);
  return found != nullptr ? *found : call.value(1, None{});
}

Value copy(const Call& call) { return call.self; }

Value count(const Call& call) {
  const Values& list = call.self.sequence()->items;
  return static_cast<int64_t>(std::count_if(
      list.begin(), list.end(), [&](const Value& each) { return equal(call.meter, each, *call.args[0]); }));
}

Value index(const Call& call) {
  const Values& list = call.self.sequence()->items;
  const auto at = std::find_if(list.begin(), list.end(),
                               [&](const Value& each) { return equal(call.meter, each, *call.args[0]); });
  if (at == list.end()) return call.fail("the value is not in the list");
  return static_cast<int64_t>(at - list.begin());
}

constexpr auto kMappingMethods = std::to_array<Builtin>({
    {"copy", "", copy},
    {"get", "key default?", get},
    {"items", "", items},
    {"keys", "", keys},
    {"values", "", values},
});

constexpr auto kSequenceMethods = std::to_array<Builtin>({
    {"copy", "", copy},
    {"count", "value", count},
    {"index", "value", index},
});

}  // namespace

const Builtin* find_mapping_method(std::string_view name) { return find_builtin(kMappingMethods, name); }
const Builtin* find_sequence_method(std::string_view name) { return find_builtin(kSequenceMethods, name); }

}  // namespace aprx::jinja
