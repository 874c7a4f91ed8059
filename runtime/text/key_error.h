// An error about a metadata key of the vocabulary.
#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"

namespace aprx {

// `key` is what the reader can look for in the file; code kBadFile unless changed.
[[nodiscard]] inline Error key_error(std::string key, std::string found, std::string expected) {
  return Error{.code = ErrorCode::kBadFile,
               .file = {},
               .subject = std::move(key),
               .found = std::move(found),
               .expected = std::move(expected),
               .hint = {}};
}

}  // namespace aprx
