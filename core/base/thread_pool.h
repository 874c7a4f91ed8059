// A pool of threads for short parallel loops.
//
// The caller takes part as worker 0. Tasks are claimed from a shared counter, several at once while
// many are left, so that a slow worker doesn't hold the others up. Workers that find nothing to do
// spin for a bounded time, because the next loop usually follows at once, and sleep then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace aprx {

class ThreadPool {
 public:
  // Does task `task` on worker `worker` (0 .. size()-1). Must not throw, nor run a loop itself.
  using Body = void (*)(void* argument, uint32_t task, uint32_t worker);

  // `threads` counts the caller; 0 is taken for 1.
  explicit ThreadPool(uint32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(threads_.size()) + 1; }

  // Runs tasks 0 .. tasks-1 and returns when all are done; what they wrote is then visible to the
  // caller. Allocates nothing. One loop at a time: not to be called from two threads, nor from a body.
  void run(uint32_t tasks, Body body, void* argument);

 private:
  // Which loop it is (upper half), and how many of its tasks nobody has claimed yet (lower half).
  // Both change together, so a worker that wakes up late can't claim from a later loop what it
  // believes to be a task of an earlier one.
  using Claim = uint64_t;

  void serve(uint32_t worker);
  void work(uint32_t worker);
  bool wait_for_tasks();
  void wait_until_done();
  [[nodiscard]] bool has_tasks() const;

  alignas(64) std::atomic<Claim> claim_ = 0;
  std::atomic<Body> body_ = nullptr;
  std::atomic<void*> argument_ = nullptr;
  std::atomic<uint32_t> tasks_ = 0;
  alignas(64) std::atomic<uint32_t> unfinished_ = 0;
  alignas(64) std::atomic<uint32_t> sleepers_ = 0;
  std::atomic<bool> caller_sleeps_ = false;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable tasks_came_;
  std::condition_variable done_;
  std::vector<std::thread> threads_;
};

}  // namespace aprx
