// Ends a stream of text at the first stop string, wherever the borders of its pieces lie.
//
// The stop string that ends first decides, and of those that end there the longest; it and what follows
// are not shown. Text that may be the start of a stop string is held back until that is known, so the
// shown text does not depend on how the stream was cut. If all stop strings and pieces are valid UTF-8, so is
// every piece given back. One object serves one stream; not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aprx {

class StopStrings {
 public:
  // Empty strings are ignored.
  explicit StopStrings(std::vector<std::string> stops);

  // The text that may be shown now. Once stopped, nothing.
  [[nodiscard]] std::string push(std::string_view text);

  [[nodiscard]] bool stopped() const { return stopped_; }

  // Ends the stream: what was held back. Once stopped, nothing.
  [[nodiscard]] std::string flush();

 private:
  [[nodiscard]] size_t longest_ending_at(size_t end) const;
  [[nodiscard]] size_t open_tail() const;

  std::vector<std::string> stops_;
  size_t longest_ = 0;  // bytes
  bool stopped_ = false;
  std::string held_;
};

}  // namespace aprx
