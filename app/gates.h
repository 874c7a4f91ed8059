// Gates of `validate` and `qa`, as JSON and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/check/gate.h"

namespace aprx::app {

// {"name", "outcome", "asked_for", "reason", "finding_count", "findings"}
[[nodiscard]] nlohmann::ordered_json gate_json(const Gate& gate);

// One line.
[[nodiscard]] std::string gate_text(const Gate& gate);
// The gate's findings, each on lines of its own, and how many more there are.
[[nodiscard]] std::string findings_text(const Gate& gate);

}  // namespace aprx::app
