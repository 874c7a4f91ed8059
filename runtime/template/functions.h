// The functions that every template can call: range, dict, namespace, cycler, joiner, raise_exception and
// strftime_now.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "runtime/template/clock_format.h"
#include "runtime/template/object.h"
#include "runtime/template/scope.h"

namespace aprx::jinja {

using FunctionBody = std::function<Value(Meter&, const Arguments&)>;
// `depth` is that of the deepest value that the body owns.
Value make_function(Meter& meter, std::string name, int depth, FunctionBody body);

// Defines them in `scope`. Namespaces live in `namespaces`, which must outlive all values, for they can hold
// themselves and each other.
void define_functions(Meter& meter, Scope& scope, std::deque<Namespace>& namespaces, const CalendarTime& now);

}  // namespace aprx::jinja
