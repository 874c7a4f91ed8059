// Attributes, items and slices of values, and calls of what they give.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/template/builtin.h"

namespace aprx::jinja {

// `value.name`: a method or attribute first, then an item; else undefined. Fails on undefined values.
Value attribute_of(Meter& meter, const Value& value, std::string_view name);
// `value[key]`: an item first, then a method or attribute; else undefined. Fails on undefined values.
Value item_of(Meter& meter, const Value& value, const Value& key);

struct Slice {
  std::optional<int64_t> start, stop, step;
};
Value slice_of(Meter& meter, const Value& value, const Slice& slice);

// `callee(arguments)`; fails on what can't be called.
Value call_value(Meter& meter, const Value& callee, const Arguments& arguments);
// `value.name(arguments)`, without making a bound method.
Value call_method(Meter& meter, const Value& value, std::string_view name, const Arguments& arguments);

}  // namespace aprx::jinja
