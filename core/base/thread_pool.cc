#include "core/base/thread_pool.h"

#include <algorithm>
#include <chrono>

namespace aprx {

namespace {

constexpr auto kSpinTime = std::chrono::microseconds(50);
constexpr int kPausesPerLook = 32;

uint32_t unclaimed(uint64_t claim) { return static_cast<uint32_t>(claim); }
uint64_t next_loop(uint64_t claim, uint32_t tasks) { return ((claim >> 32U) + 1) << 32U | tasks; }

// Tells the processor that this thread only waits; leaves the core to its sibling for a moment.
void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until `condition` holds or the time is up; says whether it holds.
template <typename Condition>
bool spin_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (condition()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

}  // namespace

ThreadPool::ThreadPool(uint32_t threads) {
  for (uint32_t worker = 1; worker < threads; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  tasks_came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(uint32_t tasks, Body body, void* argument) {
  if (threads_.empty() || tasks <= 1) {
    for (uint32_t task = 0; task < tasks; ++task) body(argument, task, 0);
    return;
  }
  // Nothing is claimable now, so no worker acts on these fields while they change (see work()).
  body_.store(body, std::memory_order_relaxed);
  argument_.store(argument, std::memory_order_relaxed);
  tasks_.store(tasks, std::memory_order_relaxed);
  unfinished_.store(tasks, std::memory_order_relaxed);
  claim_.store(next_loop(claim_.load(std::memory_order_relaxed), tasks));
  // The order of this store and this load, and of their mirror images in wait_for_tasks(), makes
  // sure that either the worker sees the tasks or this thread sees the sleeper.
  if (sleepers_.load() > 0) {
    {
      const std::lock_guard lock(mutex_);
    }
    tasks_came_.notify_all();
  }
  work(0);
  wait_until_done();
}

// Claims and runs tasks until none is left.
//
// The fields are read before the claim. If the claim succeeds, some task of that loop was still
// open, so run() had not returned and the fields were those of that loop; if not, they are dropped.
void ThreadPool::work(uint32_t worker) {
  Claim claim = claim_.load(std::memory_order_acquire);
  while (unclaimed(claim) > 0) {
    const uint32_t left = unclaimed(claim);
    const Body body = body_.load(std::memory_order_relaxed);
    void* argument = argument_.load(std::memory_order_relaxed);
    const uint32_t first = tasks_.load(std::memory_order_relaxed) - left;
    const uint32_t count = std::max<uint32_t>(1, left / (4 * size()));
    if (!claim_.compare_exchange_weak(claim, claim - count, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
      continue;
    }
    for (uint32_t i = 0; i < count; ++i) body(argument, first + i, worker);
    if (unfinished_.fetch_sub(count) == count && caller_sleeps_.load()) {
      {
        const std::lock_guard lock(mutex_);
      }
      done_.notify_one();
    }
    claim = claim_.load(std::memory_order_acquire);
  }
}

void ThreadPool::serve(uint32_t worker) {
  while (wait_for_tasks()) work(worker);
}

bool ThreadPool::has_tasks() const { return unclaimed(claim_.load()) > 0; }

// False once the pool is to stop.
bool ThreadPool::wait_for_tasks() {
  if (spin_until([this] { return has_tasks() || stop_.load(std::memory_order_relaxed); })) return !stop_;
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1);
  tasks_came_.wait(lock, [this] { return has_tasks() || stop_; });
  sleepers_.fetch_sub(1);
  return !stop_;
}

void ThreadPool::wait_until_done() {
  const auto is_done = [this] { return unfinished_.load() == 0; };
  if (spin_until(is_done)) return;
  std::unique_lock lock(mutex_);
  caller_sleeps_ = true;
  done_.wait(lock, is_done);
  caller_sleeps_ = false;
}

}  // namespace aprx
