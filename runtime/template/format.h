// Python's two ways to format text: `'%s' % value` and `'{}'.format(value)`.
#pragma once

#include <string>
#include <string_view>

#include "runtime/template/object.h"

namespace aprx::jinja {

// `format % values`: one value, a tuple of them, or a dict for %(name)s. Conversions d i u s r c x X o e E f
// F g G %.
Value format_percent(Meter& meter, const Text& format, const Value& values);

// `format.format(...)`: {} {0} {name} {a.b} {a[0]}, !s and !r, and
// [[fill]align][sign][#][0][width][,][.precision][type].
Value format_braces(Meter& meter, const Text& format, const Arguments& arguments);

// Fills up to `width` code points; alignment '<', '>' or '^' (as str.center does it). The caller bounds the
// width.
[[nodiscard]] std::string padded(std::string_view text, int64_t width, std::string_view fill, char alignment);

}  // namespace aprx::jinja
