// How fast an executor runs, measured from outside: the same calls that answer a prompt, on tokens that mean
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/exec/executor.h"

namespace aprx {

// The seconds that each of some runs took for `tokens` tokens. At least one run.
struct Timings {
  int64_t tokens = 0;
  std::vector<double> seconds;

  // Tokens a second of the fastest, of the middle and of the slowest run.
  [[nodiscard]] double best() const;
  [[nodiscard]] double median() const;
  [[nodiscard]] double worst() const;
};

// Called after each run.
using OnRun = std::function<void()>;

// Times `runs` runs of a prompt of `tokens` tokens, each from a new state, so that nothing is reused. The
// logits of the last token are computed. `tokens` is at most the context. Errors: those of Executor::run.
[[nodiscard]] Result<Timings> measure_prefill(Executor& executor, int64_t tokens, int runs,
                                              const OnRun& on_run);

// Times `runs` runs of `tokens` tokens one after the other, each behind `depth` tokens that are not counted.
[[nodiscard]] Result<Timings> measure_decode(Executor& executor, int64_t tokens, int64_t depth, int runs,
                                             const OnRun& on_run);

}  // namespace aprx
