// The pool runs every task once, on the workers it says, and its results are seen by the caller.
// Meant to be run under the thread sanitizer too.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "core/base/thread_pool.h"

namespace {

std::atomic<bool> count_allocations = false;
std::atomic<int> allocations = 0;

}  // namespace

// Counts what the pool allocates, whichever thread does it. Not inlined: g++ takes the inlined halves of
// a new and a delete for a mismatch.
[[gnu::noinline]] void* operator new(size_t size) {
  if (count_allocations) ++allocations;
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept { std::free(block); }

namespace aprx::test {
namespace {

// What one loop did; plain ints, so that a missing barrier is a race.
struct Ledger {
  explicit Ledger(uint32_t tasks) : times(tasks, 0), worker(tasks, UINT32_MAX) {}
  std::vector<int> times;
  std::vector<uint32_t> worker;
};

void note(void* argument, uint32_t task, uint32_t worker) {
  auto& ledger = *static_cast<Ledger*>(argument);
  ++ledger.times[task];
  ledger.worker[task] = worker;
}

TEST_CASE("every task runs exactly once", "[thread]") {
  const uint32_t threads = GENERATE(1U, 2U, 3U, 8U);
  ThreadPool pool(threads);
  CHECK(pool.size() == threads);
  for (const uint32_t tasks : {0U, 1U, 2U, 7U, 64U, 1000U}) {
    Ledger ledger(tasks);
    pool.run(tasks, note, &ledger);
    CHECK(ledger.times == std::vector<int>(tasks, 1));
    for (const uint32_t worker : ledger.worker) CHECK(worker < threads);
  }
}

TEST_CASE("many short loops one after another keep apart", "[thread]") {
  ThreadPool pool(4);
  for (uint32_t loop = 0; loop < 3000; ++loop) {
    Ledger ledger(1 + loop % 13);
    pool.run(static_cast<uint32_t>(ledger.times.size()), note, &ledger);
    REQUIRE(ledger.times == std::vector<int>(ledger.times.size(), 1));
  }
}

TEST_CASE("workers that went to sleep wake up again", "[thread]") {
  ThreadPool pool(3);
  for (int i = 0; i < 20; ++i) {
    // Longer than workers spin.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Ledger ledger(50);
    pool.run(50, note, &ledger);
    REQUIRE(ledger.times == std::vector<int>(50, 1));
  }
}

TEST_CASE("the caller waits for a worker that is slow", "[thread]") {
  ThreadPool pool(2);
  std::atomic<int> done = 0;
  const auto slow = [](void* argument, uint32_t, uint32_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++*static_cast<std::atomic<int>*>(argument);
  };
  pool.run(2, slow, &done);
  CHECK(done == 2);
}

TEST_CASE("two tasks that wait for each other run on two workers", "[thread]") {
  ThreadPool pool(2);
  std::atomic<int> arrived = 0;
  const auto meet = [](void* argument, uint32_t, uint32_t) {
    auto& count = *static_cast<std::atomic<int>*>(argument);
    ++count;
    while (count < 2) std::this_thread::sleep_for(std::chrono::microseconds(100));
  };
  pool.run(2, meet, &arrived);
  CHECK(arrived == 2);
}

TEST_CASE("a loop allocates nothing", "[thread]") {
  ThreadPool pool(2);
  Ledger ledger(100);
  pool.run(100, note, &ledger);
  allocations = 0;
  count_allocations = true;
  for (int i = 0; i < 100; ++i) pool.run(100, note, &ledger);
  count_allocations = false;
  CHECK(allocations == 0);
}

}  // namespace
}  // namespace aprx::test
