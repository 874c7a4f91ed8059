// What every gate works with: threads, the wish to stop, and whom to tell how far it is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/base/thread_pool.h"

namespace aprx {

// `what` is one word for the work at hand, such as "hashing"; a string literal.
using CheckProgress = std::function<void(const char* what, uint64_t done, uint64_t total)>;

struct CheckContext {
  ThreadPool& pool;
  const std::atomic<bool>& cancelled;  // may be set at any time; gates then end early and say so
  CheckProgress progress = {};         // called on the caller's thread; may be empty

  void tell(const char* what, uint64_t done, uint64_t total) const {
    if (progress) progress(what, done, total);
  }

  // Runs body(task) for tasks 0 .. tasks-1 on all threads. The body must not throw.
  template <typename Body>
  void each(uint32_t tasks, Body body) const {
    pool.run(
        tasks, [](void* argument, uint32_t task, uint32_t) { (*static_cast<Body*>(argument))(task); }, &body);
  }
};

inline constexpr const char* kInterruptedReason = "stopped before it was done";

}  // namespace aprx
