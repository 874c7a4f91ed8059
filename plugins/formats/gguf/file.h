// One GGUF file: a whole model, or one of its shards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "header_bytes.h"
#include "metadata.h"
#include "tensors.h"

namespace aprx::gguf {

struct File {
  HeaderBytes header;
  uint32_t version = 0;
  Metadata metadata;
  std::vector<Tensor> tensors;
  uint64_t data_start = 0;  // where the offsets of tensors count from
};

// Reads and checks the header of the file at `path`; throws FormatError.
[[nodiscard]] File read_file(Files files, const std::string& path);

}  // namespace aprx::gguf
