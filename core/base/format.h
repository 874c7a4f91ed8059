// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace aprx {

// "518.3 MiB"; binary units, one decimal; plain bytes below 1 KiB.
[[nodiscard]] std::string bytes_text(uint64_t bytes);

}  // namespace aprx
