// Counts what a render uses, and keeps its first fault. Everything that works on values gets the meter of
// its render. A fault sticks: work after it yields undefined values that nobody sees, loops stop at the next
// step, and the render ends with the fault. Not thread-safe: one meter a render.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/template/limits.h"

namespace aprx::jinja {

// Work on long values is one node, but takes the time of many: as many steps as this.
inline constexpr size_t kBytesPerStep = 256;
inline constexpr size_t kItemsPerStep = 16;

struct Fault {
  int line;  // of the template, counted from 1
  std::string what;
};

class Meter {
 public:
  explicit Meter(const TemplateLimits& limits);

  [[nodiscard]] bool ok() const { return !fault_.has_value(); }
  [[nodiscard]] const std::optional<Fault>& fault() const { return fault_; }
  [[nodiscard]] const TemplateLimits& limits() const { return limits_; }

  // Records a fault at the current line; only the first one counts.
  void fail(std::string what);

  // Spends `cost` steps. False once the render has failed.
  bool step(uint64_t cost = 1);

  // Whether `bytes` more may be built; a fault if not. To be asked before anything that can grow fast.
  bool fits(size_t bytes);

  void hold(size_t bytes);
  void release(size_t bytes) { held_ -= bytes; }

 private:
  friend class Frame;

  TemplateLimits limits_;
  std::chrono::nanoseconds deadline_;
  uint64_t steps_ = 0;
  uint64_t next_clock_check_;
  size_t held_ = 0;
  int depth_ = 0;
  int line_ = 1;
  std::optional<Fault> fault_;
};

// One nested node under evaluation: counts depth and a step, and sets the line that a fault names.
class Frame {
 public:
  Frame(Meter& meter, int line);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  [[nodiscard]] bool entered() const { return meter_.ok(); }

 private:
  Meter& meter_;
  int outer_line_;
};

// Bytes of one value, held for as long as it lives. Without a meter (literals of a parsed template) it is
// free.
class Charge {
 public:
  Charge() = default;
  Charge(Meter* meter, size_t bytes) : meter_(meter), bytes_(bytes) {
    if (meter_ != nullptr) meter_->hold(bytes_);
  }
  ~Charge() {
    if (meter_ != nullptr) meter_->release(bytes_);
  }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

 private:
  Meter* meter_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace aprx::jinja
