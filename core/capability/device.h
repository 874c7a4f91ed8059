// A device as the planner sees it: facts, and the question that can be put to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aprx/abi.h"
#include "core/graph/graph.h"

namespace aprx {

// Refers to a backend that the plugin registry keeps open for longer than any Device lives.
// Copyable; safe to use from several threads.
struct Device {
  const aprx_backend* table = nullptr;
  void* self = nullptr;
  uint32_t index = 0;
  std::string backend;  // plugin name: "cpu"
  std::string backend_version;
  std::string id;      // "cpu", "cuda:0"
  std::string name;    // "AMD EPYC"
  std::string target;  // instruction set in use
  uint32_t flags = 0;
  double bytes_per_second = 0;  // 0 = unknown
  double flops_per_second = 0;

  [[nodiscard]] bool is_yardstick() const { return (flags & APRX_DEVICE_YARDSTICK) != 0; }
};

// Puts one node of `graph` to the device. Reads tables only: fast, and without side effects.
[[nodiscard]] aprx_verdict probe(const Device& device, const Graph& graph, const Node& node,
                                 uint32_t tokens_max);

[[nodiscard]] aprx_memory_info memory_of(const Device& device);

// Operators for which the device's kernel table has a row, in table order.
[[nodiscard]] std::vector<Op> operators_of(const Device& device);

// Names of the dtypes for which the device's kernel table has a row of this operator, in table order.
[[nodiscard]] std::vector<std::string> dtypes_of(const Device& device, Op op);

}  // namespace aprx
