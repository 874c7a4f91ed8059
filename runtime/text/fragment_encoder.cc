#include "runtime/text/fragment_encoder.h"

#include <charconv>

namespace aprx {

std::optional<uint8_t> named_byte(std::string_view text) {
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return std::nullopt;
  uint8_t value = 0;
  const char* end = text.data() + 5;
  const auto parsed = std::from_chars(text.data() + 3, end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

}  // namespace aprx
