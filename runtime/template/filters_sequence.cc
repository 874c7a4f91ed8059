// Filters that take a whole sequence: parts, orders, sums.
#include <algorithm>
#include <array>

#include "runtime/template/compare.h"
#include "runtime/template/filters.h"
#include "runtime/template/operators.h"
#include "runtime/template/print.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

namespace {

using KeyedItems = std::vector<std::pair<Value, Value>>;  // sort key, item

Value list(const Call& call) { return make_list(call.meter, items_of(call.meter, call.self)); }

Value first(const Call& call) {
  if (Sequence* sequence = call.self.sequence();
      sequence != nullptr && sequence->kind == SequenceKind::kGenerator) {
    if (sequence->items.empty()) return make_undefined("no first item, the sequence was empty");
    Value item = sequence->items.front();
    sequence->items.erase(sequence->items.begin());
    return item;
  }
  Values items = items_of(call.meter, call.self);
  return items.empty() ? make_undefined("no first item, the sequence was empty") : items.front();
}

Value last(const Call& call) {
  if (!call.self.is_undefined() && !length_of(call.self)) {
    return call.fail("'" + type_name(call.self) + "' object is not reversible");
  }
  Values items = items_of(call.meter, call.self);
  return items.empty() ? make_undefined("no last item, the sequence was empty") : items.back();
}

Value reverse(const Call& call) {
  Values items = items_of(call.meter, call.self);
  std::reverse(items.begin(), items.end());
  if (call.self.text() == nullptr) return make_generator(call.meter, std::move(items));
  std::string out;
  for (const Value& item : items) out += item.text()->bytes;
  return make_text(call.meter, std::move(out), call.self.text()->is_markup);
}

Value join(const Call& call) {
  const std::string separator = call.args[0] != nullptr ? str_of(call.meter, *call.args[0]) : "";
  const Values items = items_of(call.meter, call.self);
  std::string out;
  for (size_t i = 0; i < items.size() && call.meter.step() && call.meter.fits(out.size()); ++i) {
    if (i > 0) out += separator;
    const bool by_attribute = call.has(1);
    out += str_of(call.meter,
                  by_attribute ? walk_attribute(call.meter, items[i], *call.args[1], nullptr) : items[i]);
  }
  return make_text(call.meter, std::move(out));
}

Value items(const Call& call) {
  if (call.self.is_undefined()) return make_generator(call.meter, {});
  if (call.self.mapping() == nullptr) return call.fail("can only get item pairs from a mapping");
  Values pairs;
  for (const auto& [key, value] : call.self.mapping()->entries)
    pairs.push_back(make_tuple(call.meter, {key, value}));
  return make_generator(call.meter, std::move(pairs));
}

KeyedItems keyed(const Call& call, const Value* attribute, bool is_case_sensitive) {
  KeyedItems out;
  for (Value& item : items_of(call.meter, call.self)) {
    if (!call.meter.step()) break;
    Value key = sort_key(call.meter, item, attribute, is_case_sensitive);
    out.emplace_back(std::move(key), std::move(item));
  }
  return out;
}

void sort_by_key(Meter& meter, KeyedItems& list, bool is_reversed) {
  // Equal items keep their order in both directions, so the comparison turns, not the result.
  std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
    return is_reversed ? is_less(meter, b.first, a.first) : is_less(meter, a.first, b.first);
  });
}

Values without_keys(KeyedItems list) {
  Values out;
  for (auto& [key, item] : list) out.push_back(std::move(item));
  return out;
}

// 'a,b' orders by a, then by b: the key is a tuple, as Python's is.
Value sort(const Call& call) {
  KeyedItems list;
  if (!call.has(2) || call.args[2]->text() == nullptr) {
    list = keyed(call, call.has(2) ? call.args[2] : nullptr, call.flag(1, false));
  } else {
    for (Value& item : items_of(call.meter, call.self)) {
      Values keys;
      for (const std::string_view part : split_at(call.text(2, {}), ",", -1, false)) {
        const Value attribute = make_text(call.meter, std::string(part));
        keys.push_back(sort_key(call.meter, item, &attribute, call.flag(1, false)));
      }
      if (!call.meter.step()) break;
      list.emplace_back(make_tuple(call.meter, std::move(keys)), std::move(item));
    }
  }
  sort_by_key(call.meter, list, call.flag(0, false));
  return make_list(call.meter, without_keys(std::move(list)));
}

Value dictsort(const Call& call) {
  if (call.self.mapping() == nullptr) return call.fail("dictsort needs a dict, not " + type_name(call.self));
  const std::string_view by = call.text(1, "key");
  if (by != "key" && by != "value") return call.fail("you can only sort by either 'key' or 'value'");
  KeyedItems list;
  for (const auto& [key, value] : call.self.mapping()->entries) {
    list.emplace_back(sort_key(call.meter, by == "key" ? key : value, nullptr, call.flag(0, false)),
                      make_tuple(call.meter, {key, value}));
  }
  sort_by_key(call.meter, list, call.flag(2, false));
  return make_list(call.meter, without_keys(std::move(list)));
}

template <bool kWantsGreatest>
Value extreme(const Call& call) {
  const KeyedItems list = keyed(call, call.has(1) ? call.args[1] : nullptr, call.flag(0, false));
  if (list.empty()) return make_undefined("no aggregated item, the sequence was empty");
  size_t best = 0;
  for (size_t i = 1; i < list.size(); ++i) {
    const bool is_better = kWantsGreatest ? is_less(call.meter, list[best].first, list[i].first, ">")
                                          : is_less(call.meter, list[i].first, list[best].first, "<");
    if (is_better) best = i;
  }
  return list[best].second;
}

Value unique(const Call& call) {
  Values seen;
  Values out;
  for (auto& [key, item] : keyed(call, call.has(1) ? call.args[1] : nullptr, call.flag(0, false))) {
    if (!is_hashable(key)) return call.fail("unhashable type: '" + type_name(key) + "'");
    const auto is_same = [&call, &k = key](const Value& other) { return equal(call.meter, k, other); };
    if (std::any_of(seen.begin(), seen.end(), is_same)) continue;
    seen.push_back(std::move(key));
    out.push_back(std::move(item));
  }
  return make_generator(call.meter, std::move(out));
}

Value groupby(const Call& call) {
  const bool is_case_sensitive = call.flag(2, false);
  KeyedItems list;
  for (Value& item : items_of(call.meter, call.self)) {
    const Value key = walk_attribute(call.meter, item, *call.args[0], call.args[1]);
    list.emplace_back(sort_key(call.meter, key, nullptr, is_case_sensitive), std::move(item));
  }
  sort_by_key(call.meter, list, false);
  Values groups;
  for (size_t begin = 0; begin < list.size() && call.meter.ok();) {
    size_t end = begin;
    Values members;
    while (end < list.size() && equal(call.meter, list[begin].first, list[end].first))
      members.push_back(list[end++].second);
    // The group is named by its first item, not by the key in lower case.
    Value grouper = walk_attribute(call.meter, members.front(), *call.args[0], call.args[1]);
    Value group = make_list(call.meter, std::move(members));
    groups.push_back(make_sequence(call.meter, SequenceKind::kGroup, {std::move(grouper), std::move(group)}));
    begin = end;
  }
  return make_list(call.meter, std::move(groups));
}

Value sum(const Call& call) {
  Value total = call.value(1, int64_t{0});
  for (const Value& item : items_of(call.meter, call.self)) {
    if (!call.meter.step()) break;
    const Value part = call.has(0) ? walk_attribute(call.meter, item, *call.args[0], nullptr) : item;
    total = apply_operator(call.meter, Op::kAdd, total, part);
  }
  return total;
}

Value batch(const Call& call) {
  const int64_t size = call.integer(0, 0);
  const Values all = items_of(call.meter, call.self);
  if (size < 1 || !call.meter.fits(static_cast<size_t>(std::min<int64_t>(size, 1 << 30)) * sizeof(Value))) {
    return call.fail("batch needs a count of at least 1");
  }
  Values out;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.size(), at + static_cast<size_t>(size));
    Values row(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(end));
    if (call.has(1)) row.resize(static_cast<size_t>(size), *call.args[1]);
    out.push_back(make_list(call.meter, std::move(row)));
    at = end;
  }
  return make_generator(call.meter, std::move(out));
}

// Columns as even as can be; those with one item less get the filler.
Value slice(const Call& call) {
  const int64_t columns = call.integer(0, 0);
  const Values all = items_of(call.meter, call.self);
  if (columns < 1 ||
      !call.meter.fits(static_cast<size_t>(std::min<int64_t>(columns, 1 << 30)) * sizeof(Sequence))) {
    return call.fail("slice needs a count of at least 1");
  }
  const size_t per_column = all.size() / static_cast<size_t>(columns);
  const size_t longer = all.size() % static_cast<size_t>(columns);
  Values out;
  auto at = all.begin();
  for (size_t column = 0; column < static_cast<size_t>(columns) && call.meter.step(); ++column) {
    const auto end = at + static_cast<std::ptrdiff_t>(per_column + (column < longer ? 1 : 0));
    Values items_of_column(at, end);
    if (call.has(1) && column >= longer) items_of_column.push_back(*call.args[1]);
    out.push_back(make_list(call.meter, std::move(items_of_column)));
    at = end;
  }
  return make_generator(call.meter, std::move(out));
}

constexpr auto kFilters = std::to_array<Builtin>({
    {"batch", "linecount fill_with?", batch},
    {"dictsort", "case_sensitive? by? reverse?", dictsort},
    {"first", "", first},
    {"groupby", "attribute default? case_sensitive?", groupby},
    {"items", "", items},
    {"join", "d? attribute?", join},
    {"last", "", last},
    {"list", "", list},
    {"max", "case_sensitive? attribute?", extreme<true>},
    {"min", "case_sensitive? attribute?", extreme<false>},
    {"reverse", "", reverse},
    {"slice", "slices fill_with?", slice},
    {"sort", "reverse? case_sensitive? attribute?", sort},
    {"sum", "attribute? start?", sum},
    {"unique", "case_sensitive? attribute?", unique},
});

}  // namespace

std::span<const Builtin> sequence_filters() { return kFilters; }

}  // namespace aprx::jinja
