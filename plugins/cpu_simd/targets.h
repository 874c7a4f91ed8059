// The instruction-set targets of this build: which the machine can run, and which one kernels dispatch to.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aprx/backend.hpp"

namespace aprx::cpu {

// The target in use belongs to the process, as Highway keeps it; so create one object only. select() must not
// run beside kernels; the rest may be called from any thread.
class Targets {
 public:
  // Tests each compiled target that the processor reports, and selects the best that passes.
  Targets();

  // All compiled targets, the best first.
  [[nodiscard]] std::vector<TargetFacts> facts() const;
  [[nodiscard]] std::string in_use() const;
  // Bytes of a vector of the target in use.
  [[nodiscard]] int64_t vector_bytes() const;

  // Uses `name` (any case; "" is the best) from now on. Throws BackendError, which lists the usable ones.
  void select(std::string_view name);

 private:
  struct Target {
    int64_t bit;
    std::string fault;  // why it isn't usable; empty if it is
  };

  std::vector<Target> targets_;
  std::atomic<int64_t> in_use_ = 0;
};

}  // namespace aprx::cpu
