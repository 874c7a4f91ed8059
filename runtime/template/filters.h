// The filter tables, one a family; find_filter() looks through them.
#pragma once

#include <span>
#include <string_view>

#include "runtime/template/builtin.h"

namespace aprx::jinja {

[[nodiscard]] std::span<const Builtin> text_filters();
[[nodiscard]] std::span<const Builtin> value_filters();
[[nodiscard]] std::span<const Builtin> sequence_filters();
[[nodiscard]] std::span<const Builtin> selecting_filters();

// The value that an `attribute=` argument means: 'a.b.0' walks, an integer is an index. `otherwise` (may be
// null) stands in for what is undefined.
Value walk_attribute(Meter& meter, const Value& item, const Value& attribute, const Value* otherwise);

// What to compare for a sorting filter: the attribute if given, in lower case unless `is_case_sensitive`.
Value sort_key(Meter& meter, const Value& item, const Value* attribute, bool is_case_sensitive);

}  // namespace aprx::jinja
