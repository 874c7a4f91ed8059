// Sizes of scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aprx::cpu {

// Bytes of `count` values, rounded so that what follows starts a cache line.
template <typename T>
constexpr uint64_t padded_bytes(int64_t count) {
  return (static_cast<uint64_t>(count) * sizeof(T) + 63) / 64 * 64;
}

}  // namespace aprx::cpu
