#include "app/token_list.h"

#include <algorithm>
#include <charconv>

namespace aprx::app {

Result<std::vector<int32_t>> parse_token_list(const std::string& text, const std::string& subject) {
  constexpr const char* kSeparators = ", \t\r\n[]";
  std::vector<int32_t> ids;
  size_t at = text.find_first_not_of(kSeparators);
  while (at != std::string::npos) {
    const size_t end = std::min(text.size(), text.find_first_of(kSeparators, at));
    int32_t id = -1;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, id);
    if (error != std::errc() || stop != text.data() + end || id < 0) {
      return Error{ErrorCode::kUsage, "", subject, text.substr(at, end - at), "token ids, such as 1,2,3", ""};
    }
    ids.push_back(id);
    at = text.find_first_not_of(kSeparators, end);
  }
  if (ids.empty())
    return Error{ErrorCode::kUsage, "", subject, "no token ids", "at least one, such as 1,2,3", ""};
  return ids;
}

}  // namespace aprx::app
