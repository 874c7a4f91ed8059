// The quantization recipes that makers of GGUF files use, by the names that the files carry.
#pragma once

#include <cstdint>
#include <span>

#include "aprx/abi.h"

namespace aprx::gguf {

// The most usual first. Source: what `llama-quantize --help` offers, and which tensor types its mixes
// hold; where a row isn't a multiple of a block of 256, the type's narrower stand-in is used instead.
[[nodiscard]] std::span<const aprx_recipe> recipes();

}  // namespace aprx::gguf
