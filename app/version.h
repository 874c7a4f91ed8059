// What `aprx --version` prints: version, commit, plugin ABI, and each usable backend's targets.
#pragma once

#include <string>

namespace aprx::app {

[[nodiscard]] std::string version_text();

}  // namespace aprx::app
