// What `aprx validate` found, as JSON and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/check/check_model.h"

namespace aprx::app {

// 0, or that of the check's verdict.
[[nodiscard]] int exit_code(const ModelCheck& check);

// {"model", "files", "verdict", "exit_code", "gates", "warnings", "error"}; the verdict is "held" or the
// word of an exit code.
[[nodiscard]] nlohmann::ordered_json validation_json(const std::string& model, const ModelCheck& check);

// A line for each gate, its findings below it, and the verdict in words.
[[nodiscard]] std::string validation_text(const ModelCheck& check);

}  // namespace aprx::app
