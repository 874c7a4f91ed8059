// A progress line on standard error, redrawn in place; silent unless that is a terminal and the
// work takes long enough to be noticed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace aprx::app {

class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(uint64_t done, uint64_t total);

 private:
  std::string what_;
  bool is_shown_ = false;
  bool is_terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace aprx::app
