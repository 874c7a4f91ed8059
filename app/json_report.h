// One JSON object on standard output, whatever the outcome of a command.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/base/error.h"

namespace aprx::app {

// {"code": "bad_file", "exit_code": 3, "file": …, "subject": …, "found": …, "expected": …, "hint": …}
[[nodiscard]] nlohmann::ordered_json error_json(const Error& error);

// Prints the object and a newline; bytes that aren't UTF-8 become U+FFFD.
void print_json(const nlohmann::ordered_json& object);

// Prints the error the way the command was asked to: as JSON {"error": …}, or as text on standard
// error. Returns its exit code.
int fail(const Error& error, bool as_json);

}  // namespace aprx::app
