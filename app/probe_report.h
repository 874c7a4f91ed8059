// What `aprx probe` found, as JSON (docs/schema/probe.schema.json) and as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/plugin/registry.h"
#include "runtime/session/survey.h"

namespace aprx::app {

// `lists_tensors` adds each tensor with its operator, dtype, shape, device and why.
[[nodiscard]] nlohmann::ordered_json probe_json(const Survey& survey, bool lists_tensors);
[[nodiscard]] std::string probe_text(const nlohmann::ordered_json& report);

// The operator × dtype table of each device.
[[nodiscard]] nlohmann::ordered_json kernels_json(PluginRegistry& registry);
[[nodiscard]] std::string kernels_text(const nlohmann::ordered_json& kernels);

}  // namespace aprx::app
