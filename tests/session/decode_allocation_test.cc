// A decode step allocates nothing, in no thread and no library: every call of the C library's
// allocator passes through this program's own.
#include <atomic>
#include <cstdlib>

#include "runtime/sample/sampler.h"
#include "tests/support/test_host.h"

extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(size_t count, size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* block, size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT(bugprone-reserved-identifier)
}

namespace {

std::atomic<bool> is_counting = false;
std::atomic<uint64_t> allocations = 0;

void count() {
  if (is_counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

extern "C" {
void* malloc(size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(size_t n, size_t size) {
  count();
  return __libc_calloc(n, size);
}
void* realloc(void* block, size_t size) {
  count();
  return __libc_realloc(block, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  count();
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? 12 : 0;
}
}

using namespace aprx;
using namespace aprx::test;

TEST_CASE("decode and greedy sampling allocate nothing") {
  LoadedModel model = load_model(demo_model(), {.backends = {"cpu"}, .context = 256, .threads = 2});
  auto state = model.executor->new_state();
  REQUIRE(state.ok());
  std::vector<int32_t> history = {4088, 265, 260,  198, 303,  282, 263, 307, 271,
                                  2943, 30,  4089, 198, 4088, 641, 273, 198};
  history.reserve(64);
  std::vector<float> logits(4096);
  Sampler sampler({.temperature = 0}, logits.size());
  const int32_t last = static_cast<int32_t>(history.size() - 1);
  REQUIRE(model.executor->run(*state, history, std::span(&last, 1), logits).ok());

  bool all_ran = true;
  const int32_t row = 0;
  is_counting = true;
  for (int step = 0; step < 9; ++step) {
    auto token = sampler.sample(logits, history);
    all_ran = all_ran && token.ok();
    history.push_back(*token);
    all_ran = all_ran &&
              model.executor->run(*state, std::span(&history.back(), 1), std::span(&row, 1), logits).ok();
  }
  is_counting = false;

  CHECK(all_ran);
  CHECK(history.back() == 4089);
  CHECK(allocations == 0);
  // The counter itself works: a vector's memory comes through it.
  is_counting = true;
  const std::vector<int> seen(1000, 1);
  is_counting = false;
  CHECK(allocations == 1);
  CHECK(seen.size() == 1000);
}
