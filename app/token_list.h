// Lists of token ids on the command line and in files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace aprx::app {

// Ids separated by commas or white space, each 0 or more. Errors: kUsage, with `subject` as subject.
[[nodiscard]] Result<std::vector<int32_t>> parse_token_list(const std::string& text,
                                                            const std::string& subject);

}  // namespace aprx::app
