// Tensor descriptions of a GGUF header, and where their data lies.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "header_bytes.h"

namespace aprx::gguf {

inline constexpr uint32_t kMaxRank = 4;
// The shortest description: length of the name, one byte of it, rank, one dimension, type, offset.
inline constexpr uint64_t kLeastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

struct Tensor {
  TextAt name;
  uint32_t type = 0;  // the file's number
  uint32_t rank = 0;
  std::array<uint64_t, kMaxRank> dims{};  // as in the file: the contiguous axis first
  uint64_t offset = 0;                    // from the start of the data section
  uint64_t size = 0;                      // bytes; 0 if the type is unknown or retired
  uint64_t offset_at = 0;                 // byte of the header where the offset stands
};

// Reads `count` descriptions. A shape that can't be, and rows that don't fill their blocks, are
// refused; an unknown or retired type is described.
[[nodiscard]] std::vector<Tensor> read_tensors(HeaderBytes& header, uint64_t count);

// Refuses data that is not aligned, leaves the file or overlaps other data. `data_start` is where
// offsets count from.
void check_layout(HeaderBytes& header, const std::vector<Tensor>& tensors, uint64_t data_start,
                  uint64_t alignment);

// The byte after the last tensor's data.
[[nodiscard]] uint64_t data_end(const std::vector<Tensor>& tensors, uint64_t data_start);

[[nodiscard]] inline std::string tensor_subject(const HeaderBytes& header, const Tensor& tensor) {
  return "tensor " + std::string(header.text(tensor.name));
}

}  // namespace aprx::gguf
