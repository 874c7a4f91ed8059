// Values as Python prints them: str() and repr().
#pragma once

#include <string>
#include <string_view>

#include "runtime/template/value.h"

namespace aprx::jinja {

// What `{{ value }}` writes: a text as it is, undefined as nothing.
std::string str_of(Meter& meter, const Value& value);
// As inside of a printed list: texts in_quotes and escaped.
std::string repr_of(Meter& meter, const Value& value);

[[nodiscard]] std::string repr_of_text(std::string_view text);
// The shortest digits that read back as the same number, in Python's layout: "0.1", "1e+16", "nan".
[[nodiscard]] std::string repr_of_float(double number);

}  // namespace aprx::jinja
