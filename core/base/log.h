// The program's log: what is worth knowing beside results and errors, on standard error.
// Messages go through spdlog's default logger; texts from files must be made printable() first.
#pragma once

#include <spdlog/spdlog.h>

#include "core/base/result.h"

namespace aprx {

// Sets the default logger up. The level is `debug` when `verbose`, else what the environment
// variable APRX_LOG says (debug, info, warning, error, off), else `warning`. Call once, at start.
Result<void> set_up_log(bool verbose);

}  // namespace aprx
