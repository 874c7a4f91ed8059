// Standard output and error. Results go to standard output, all else to standard error.
#pragma once

#include <string_view>

#include "core/base/error.h"

namespace aprx::app {

// Writes to standard output at once. Returns false when nobody reads it any more (a closed pipe),
// which is a reason to stop, not an error.
[[nodiscard]] bool print(std::string_view text);

// Writes to standard error.
void note(std::string_view text);

// "aprx: " and the error's text, red on a terminal.
void print_error(const Error& error);

[[nodiscard]] bool is_terminal(int descriptor);

}  // namespace aprx::app
