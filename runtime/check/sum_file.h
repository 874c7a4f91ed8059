// Where the SHA-256 that a file should have is written down: MODEL.sha256, or SHA256SUMS in its folder, both
// as `sha256sum` writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace aprx {

struct WrittenSum {
  std::string digits;  // 64, lower case
  std::string path;    // of the sum file
};

// The sum for the file at `path`; nothing if no sum file is there, or SHA256SUMS doesn't name it. Errors,
// kBadFile: a MODEL.sha256 that doesn't give it, a sum file that can't be read or is no such list.
[[nodiscard]] Result<std::optional<WrittenSum>> written_sum(const std::string& path);

// The sum that `list` has for `name`: the line "DIGITS  NAME" (or "DIGITS *NAME"), whatever folder the name
// is in. Errors name the line that is none.
[[nodiscard]] Result<std::optional<std::string>> sum_in(std::string_view list, std::string_view name);

}  // namespace aprx
