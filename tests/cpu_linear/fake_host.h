// A host with a given number of threads, for kernels under test.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "aprx/kernel.hpp"

namespace aprx::test {

class FakeHost {
 public:
  explicit FakeHost(uint32_t workers) : workers_(workers) {
    host_.struct_size = sizeof host_;
    host_.self = this;
    host_.parallel = parallel;
    host_.workers = [](void* self) { return static_cast<FakeHost*>(self)->workers_; };
    host_.cancelled = [](void*) { return 0U; };
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  [[nodiscard]] Parallel parallel() const { return Parallel(&host_); }

 private:
  static void parallel(void* self, uint32_t tasks, aprx_task_fn body, void* argument) {
    std::atomic<uint32_t> next{0};
    const auto work = [&](uint32_t worker) {
      for (uint32_t task = next++; task < tasks; task = next++) body(argument, task, worker);
    };
    std::vector<std::thread> threads;
    for (uint32_t w = 1; w < static_cast<FakeHost*>(self)->workers_; ++w) threads.emplace_back(work, w);
    work(0);
    for (std::thread& thread : threads) thread.join();
  }

  uint32_t workers_;
  aprx_host host_{};
};

}  // namespace aprx::test
