// What general.file_type says about the quantization of a file.
#pragma once

#include "metadata.h"

namespace aprx::gguf {

// A quantization mix's usual name, "Q4_K_M"; "" where the key is absent, no integer, or not known.
[[nodiscard]] const char* claim_of(const HeaderBytes& header, const Metadata& metadata);

}  // namespace aprx::gguf
