// What the user asked of a run; the planner turns it into a Route.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aprx {

struct Policy {
  std::vector<std::string> backends = {};    // in order of preference; empty means `auto`
  std::string target = {};                   // instruction set to use at most; "" = the best
  uint32_t tokens_max = 512;                 // most tokens of one run
  uint32_t rows_max = 1;                     // most rows of logits of one run
  uint32_t threads = 1;                      // of the host's pool, for the record
  std::optional<uint64_t> free_memory = {};  // bytes to reckon with on each device, in place of what it says
};

}  // namespace aprx
