#include "runtime/text/stop_strings.h"

#include <algorithm>
#include <utility>

namespace aprx {

StopStrings::StopStrings(std::vector<std::string> stops) : stops_(std::move(stops)) {
  stops_.erase(std::remove(stops_.begin(), stops_.end(), std::string()), stops_.end());
  for (const std::string& stop : stops_) longest_ = std::max(longest_, stop.size());
}

// Bytes of the longest stop string that ends at `end` of the held text; 0 if none does.
size_t StopStrings::longest_ending_at(size_t end) const {
  const std::string_view before = std::string_view(held_).substr(0, end);
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    if (before.ends_with(stop)) longest = std::max(longest, stop.size());
  }
  return longest;
}

// Bytes at the end of the held text that may be the start of a stop string.
size_t StopStrings::open_tail() const {
  if (longest_ == 0) return 0;
  const std::string_view held = held_;
  for (size_t length = std::min(longest_ - 1, held.size()); length > 0; --length) {
    const std::string_view tail = held.substr(held.size() - length);
    const bool opens = std::any_of(stops_.begin(), stops_.end(), [tail](const std::string& stop) {
      return std::string_view(stop).starts_with(tail);
    });
    if (opens) return length;
  }
  return 0;
}

std::string StopStrings::push(std::string_view text) {
  if (stopped_) return {};
  const size_t known = held_.size();  // no stop string ends in what was held before
  held_ += text;
  for (size_t end = known + 1; end <= held_.size(); ++end) {
    const size_t length = longest_ending_at(end);
    if (length == 0) continue;
    stopped_ = true;
    held_.resize(end - length);
    return std::exchange(held_, {});
  }
  const size_t shown = held_.size() - open_tail();
  std::string out = held_.substr(0, shown);
  held_.erase(0, shown);
  return out;
}

std::string StopStrings::flush() { return std::exchange(held_, {}); }

}  // namespace aprx
