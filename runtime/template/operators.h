// Python's operators on values.
#pragma once

#include "runtime/template/ast.h"

namespace aprx::jinja {

// Arithmetic, joining and repeating, and `%` formatting. Fails on wrong types, division by zero and integers
// of more than 64 bits.
Value apply_operator(Meter& meter, Op op, const Value& left, const Value& right);
bool apply_comparison(Meter& meter, Op op, const Value& left, const Value& right);
Value negated(Meter& meter, const Value& value);

}  // namespace aprx::jinja
