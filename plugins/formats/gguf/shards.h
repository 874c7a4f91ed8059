// Models in several files: PREFIX-00001-of-00003.gguf and so on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file.h"

namespace aprx::gguf {

// Opens the model that the file at `path` belongs to: that file alone, or all shards, in their
// order. The keys split.no, split.count and split.tensors.count, the names of the files and the
// names of the tensors must agree; throws FormatError where they don't.
[[nodiscard]] std::vector<File> read_model(Files files, const std::string& path);

}  // namespace aprx::gguf
