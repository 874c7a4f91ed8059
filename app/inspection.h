// What a model file holds, as one JSON value: what `aprx inspect` prints, as text or as it stands.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/plugin/model_file.h"

namespace aprx::app {

// `tensors` is a pattern (fnmatch(3)) of the tensors to list, empty for none; `key` a metadata key
// whose value is given whole, empty for a summary of each. Strings are printable.
[[nodiscard]] nlohmann::ordered_json inspect(const ModelFile& file, const std::string& tensors,
                                             const std::string& key);

[[nodiscard]] std::string inspection_text(const nlohmann::ordered_json& inspection);

// The part of both that counts: files, parameters, dtypes by count and bytes, and what is claimed of them.
[[nodiscard]] nlohmann::ordered_json inspect_summary(const ModelFile& file);
[[nodiscard]] std::string summary_text(const nlohmann::ordered_json& summary);

}  // namespace aprx::app
