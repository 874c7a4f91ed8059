// Filters that apply another filter or a test to each item: map, select, reject and their kin.
#include <algorithm>
#include <array>

#include "runtime/template/access.h"
#include "runtime/template/filters.h"
#include "runtime/template/text.h"

namespace aprx::jinja {

Value walk_attribute(Meter& meter, const Value& item, const Value& attribute, const Value* otherwise) {
  const auto found_or = [&](Value value) {
    return value.is_undefined() && otherwise != nullptr ? *otherwise : value;
  };
  if (attribute.text() == nullptr) return found_or(item_of(meter, item, attribute));
  Value value = item;
  for (const std::string_view part : split_at(attribute.text()->bytes, ".", -1, false)) {
    const bool is_index =
        !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    const size_t most_digits = 15;
    const Value key = is_index && part.size() <= most_digits
                          ? Value(static_cast<int64_t>(std::stoll(std::string(part))))
                          : make_text(meter, std::string(part));
    value = found_or(item_of(meter, value, key));
  }
  return value;
}

Value sort_key(Meter& meter, const Value& item, const Value* attribute, bool is_case_sensitive) {
  Value key = attribute != nullptr ? walk_attribute(meter, item, *attribute, nullptr) : item;
  if (is_case_sensitive || key.text() == nullptr) return key;
  return make_text(meter, to_lower(key.text()->bytes));
}

namespace {

Arguments without_first(const Arguments& given, size_t count) {
  Arguments rest = given;
  rest.positional.erase(
      rest.positional.begin(),
      rest.positional.begin() + static_cast<std::ptrdiff_t>(std::min(count, rest.positional.size())));
  return rest;
}

const Value* named(const Arguments& given, std::string_view name) {
  const auto at =
      std::find_if(given.named.begin(), given.named.end(), [&](const auto& e) { return e.first == name; });
  return at != given.named.end() ? &at->second : nullptr;
}

// The name of the filter or test to apply, at position `index`; nothing when absent or no text.
std::optional<std::string> name_at(const Call& call, size_t index) {
  if (call.given.positional.size() <= index) return std::nullopt;
  const Value& name = call.given.positional[index];
  if (name.text() != nullptr) return name.text()->bytes;
  call.fail("the name of a filter or test must be str, not " + type_name(name));
  return std::nullopt;
}

// Nothing at all is applied to an empty or absent input, not even a check of the arguments.
Values inputs(const Call& call) { return is_truthy(call.self) ? items_of(call.meter, call.self) : Values{}; }

Value map(const Call& call) {
  const Value* attribute = call.given.positional.empty() ? named(call.given, "attribute") : nullptr;
  const auto filter = attribute == nullptr ? name_at(call, 0) : std::nullopt;
  const Arguments rest = without_first(call.given, 1);
  const Value* otherwise = named(call.given, "default");
  Values out;
  for (const Value& item : inputs(call)) {
    if (attribute == nullptr && !filter) return call.fail("map requires a filter argument");
    if (!call.meter.step()) break;
    out.push_back(attribute != nullptr ? walk_attribute(call.meter, item, *attribute, otherwise)
                                       : run_filter(call.meter, *filter, item, rest));
  }
  return make_generator(call.meter, std::move(out));
}

template <bool kByAttribute, bool kKeeps>
Value select(const Call& call) {
  const size_t test_index = kByAttribute ? 1 : 0;
  const auto test = name_at(call, test_index);
  const Arguments rest = without_first(call.given, test_index + 1);
  Values out;
  for (const Value& item : inputs(call)) {
    if (kByAttribute && call.given.positional.empty())
      return call.fail("missing parameter for attribute name");
    if (!call.meter.step()) break;
    const Value tested =
        kByAttribute ? walk_attribute(call.meter, item, call.given.positional[0], nullptr) : item;
    const bool passes = test ? run_test(call.meter, *test, tested, rest) : is_truthy(tested);
    if (passes == kKeeps) out.push_back(item);
  }
  return make_generator(call.meter, std::move(out));
}

constexpr auto kFilters = std::to_array<Builtin>({
    {"map", "*", map},
    {"reject", "*", select<false, false>},
    {"rejectattr", "*", select<true, false>},
    {"select", "*", select<false, true>},
    {"selectattr", "*", select<true, true>},
});

}  // namespace

std::span<const Builtin> selecting_filters() { return kFilters; }

}  // namespace aprx::jinja
