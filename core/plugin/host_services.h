// What the host does for plugins: log, parallel loops, the wish to stop.
#pragma once

#include <atomic>
#include <string>

#include "aprx/abi.h"
#include "core/base/thread_pool.h"

namespace aprx {

// `pool` and `cancelled` must outlive it, and it every plugin. `cancelled` may be set at any time,
// also from a signal handler.
class HostServices {
 public:
  HostServices(ThreadPool& pool, const std::atomic<bool>& cancelled, std::string version);
  HostServices(const HostServices&) = delete;
  HostServices& operator=(const HostServices&) = delete;

  [[nodiscard]] const aprx_host* table() const { return &table_; }

 private:
  static void log(void* self, uint32_t level, const char* message);
  static void parallel(void* self, uint32_t tasks, aprx_task_fn body, void* argument);
  static uint32_t workers(void* self);
  static uint32_t is_cancelled(void* self);

  ThreadPool& pool_;
  const std::atomic<bool>& cancelled_;
  std::string version_;
  aprx_host table_;
};

}  // namespace aprx
