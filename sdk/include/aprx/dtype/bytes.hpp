// Little-endian reads and writes of fields at any address. Blocks lie in mapped files without alignment, so
// fields are put together from bytes; compilers turn these into one load.
#pragma once

#include <cstdint>

namespace aprx::codec {

constexpr uint16_t load_u16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | (p[1] << 8)); }

constexpr uint32_t load_u32(const uint8_t* p) {
  return static_cast<uint32_t>(load_u16(p)) | (static_cast<uint32_t>(load_u16(p + 2)) << 16);
}

constexpr uint64_t load_u64(const uint8_t* p) {
  return static_cast<uint64_t>(load_u32(p)) | (static_cast<uint64_t>(load_u32(p + 4)) << 32);
}

constexpr void store_u16(uint16_t value, uint8_t* p) {
  p[0] = static_cast<uint8_t>(value & 0xFF);
  p[1] = static_cast<uint8_t>(value >> 8);
}

}  // namespace aprx::codec
