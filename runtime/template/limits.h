// What one render of a chat template may use. A template comes with the model file, so it is not trusted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace aprx {

struct TemplateLimits {
  uint64_t max_steps = 10'000'000;             // evaluated nodes and looped-over items
  size_t max_output_bytes = size_t{16} << 20;  // of the render, and of each captured part of it
  size_t max_memory_bytes = size_t{64} << 20;  // of all values alive at one time, in total
  std::chrono::milliseconds max_time{500};     // of the rendering thread, not of the clock on the wall
  int max_depth = 600;                         // nested nodes, macro calls included
};

}  // namespace aprx
