// How the next token is chosen, and the check of what a user asked for.
#pragma once

#include <cstdint>

#include "core/base/result.h"

namespace aprx {

struct SamplingOptions {
  float temperature = 0.8F;     // 0: always the likeliest token
  int top_k = 40;               // 0: off
  float top_p = 0.95F;          // 1: off
  float min_p = 0.05F;          // 0: off
  float repeat_penalty = 1.0F;  // 1: off
  int repeat_last_n = 64;       // tokens of the history that are penalized; 0: none, -1: all
  uint64_t seed = 0;
};

// Errors: kUsage, with the option's name on the command line in `subject`.
[[nodiscard]] Result<void> validate(const SamplingOptions& options);

}  // namespace aprx
