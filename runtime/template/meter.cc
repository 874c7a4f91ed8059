#include "runtime/template/meter.h"

#include <ctime>
#include <utility>

namespace aprx::jinja {

namespace {

// Looking at the clock costs more than a step, so it is done once in so many.
constexpr uint64_t kStepsBetweenClockChecks = 1000;

// A text that grows exists twice for a moment, so one value gets only a part of the memory.
constexpr size_t kShareOfOneValue = 4;

// Of this thread only: on a busy machine an honest template takes long by the wall clock.
std::chrono::nanoseconds thread_time() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Meter::Meter(const TemplateLimits& limits)
    : limits_(limits),
      deadline_(thread_time() + limits.max_time),
      next_clock_check_(kStepsBetweenClockChecks) {}

void Meter::fail(std::string what) {
  if (!fault_) fault_ = Fault{line_, std::move(what)};
}

bool Meter::step(uint64_t cost) {
  steps_ += cost;
  if (steps_ > limits_.max_steps) {
    fail("stopped after " + std::to_string(limits_.max_steps) + " steps (does it end?)");
  } else if (steps_ >= next_clock_check_) {
    next_clock_check_ = steps_ + kStepsBetweenClockChecks;
    if (thread_time() > deadline_) {
      fail("stopped after " + std::to_string(limits_.max_time.count()) + " ms (does it end?)");
    }
  }
  return ok();
}

bool Meter::fits(size_t bytes) {
  if (bytes > limits_.max_memory_bytes / kShareOfOneValue) {
    fail("stopped at a value of more than " + std::to_string(limits_.max_memory_bytes / kShareOfOneValue) +
         " bytes");
  } else if (held_ > limits_.max_memory_bytes - bytes) {
    fail("stopped because its values need more than " + std::to_string(limits_.max_memory_bytes) + " bytes");
  }
  return ok();
}

void Meter::hold(size_t bytes) {
  fits(bytes);
  held_ += bytes;
  step(bytes / kBytesPerStep);
}

Frame::Frame(Meter& meter, int line) : meter_(meter), outer_line_(meter.line_) {
  meter_.line_ = line;
  if (++meter_.depth_ > meter_.limits_.max_depth) {
    meter_.fail("nested more than " + std::to_string(meter_.limits_.max_depth) +
                " levels deep (endless recursion?)");
  }
  meter_.step();
}

Frame::~Frame() {
  --meter_.depth_;
  meter_.line_ = outer_line_;
}

}  // namespace aprx::jinja
