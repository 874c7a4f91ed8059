// SHA-256 of whole files, by OpenSSL.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file_map.h"

namespace aprx {

// Called after each piece with the bytes of that piece; returns false to stop.
using OnHashed = std::function<bool(uint64_t bytes)>;

// 64 lower-case digits, or nothing where `on_hashed` stopped it. Errors: kBadFile if the file can't be
// read; kInternal if the library has no SHA-256.
[[nodiscard]] Result<std::optional<std::string>> sha256_of(const FileMap& file, const OnHashed& on_hashed);

// `text` in lower case if it is 64 hexadecimal digits, else nothing.
[[nodiscard]] std::optional<std::string> sha256_digits(std::string_view text);

}  // namespace aprx
