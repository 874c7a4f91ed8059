// A value of metadata, or of an expression over it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace aprx {

using Scalar = std::variant<int64_t, double, bool, std::string>;

// As a message or a description's table of values writes it: 48, 0.5, true, yarn.
[[nodiscard]] std::string scalar_text(const Scalar& value);

}  // namespace aprx
