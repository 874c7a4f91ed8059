// Unicode normalization form C, by ICU.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace aprx {

// `text` in NFC. `text` must be valid UTF-8 of less than 2^31 bytes. Thread-safe.
// Errors: kInternal if ICU has no normalization data.
[[nodiscard]] Result<std::string> to_nfc(std::string_view text);

}  // namespace aprx
