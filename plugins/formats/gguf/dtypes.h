// GGUF's numbers for tensor types.
#pragma once

#include <cstdint>
#include <string_view>

#include "aprx/dtype.hpp"

namespace aprx::gguf {

struct TensorType {
  aprx_dtype_status status;
  DType dtype;            // DType::kUnknown unless the status is APRX_DTYPE_KNOWN
  std::string_view name;  // the format's own word; empty if the number is unknown
};

// What `id` stands for. Every number has exactly one answer; none is taken for a neighbour.
[[nodiscard]] TensorType tensor_type(uint32_t id);

}  // namespace aprx::gguf
