// Q2_K: 256 weights in 84 bytes. Source: the GGUF file format (type 10).
//
//   byte 0            16                    80     82     84
//        | scales[16] | q[64]               | d    | dmin |
//          low nibble:  two bits a weight     f16    f16
//          scale; high: min
//   Each half of 128 weights has 32 bytes of q. Bits 2j, 2j+1 of its byte i belong to weight 32·j + i of the
//   half. Each scale serves 16 weights in order:  w = d·scale·q − dmin·min
#pragma once

#include <cstdint>

#include "aprx/dtype/f16.hpp"

namespace aprx::codec {

struct BlockQ2_K {
  static constexpr int kElements = 256;
  uint8_t scales[16];
  uint8_t q[64];
  uint8_t d[2];
  uint8_t dmin[2];
};
static_assert(sizeof(BlockQ2_K) == 84 && alignof(BlockQ2_K) == 1);

constexpr void decode(const BlockQ2_K& block, float* out) {
  const float d = load_f16(block.d);
  const float dmin = load_f16(block.dmin);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(block.scales[group] & 0xF);
    const float min = dmin * static_cast<float>(block.scales[group] >> 4);
    const uint8_t* q = block.q + 32 * (group / 8) + 16 * (group % 2);
    const int shift = 2 * ((group / 2) % 4);
    for (int i = 0; i < 16; ++i) out[16 * group + i] = scale * static_cast<float>((q[i] >> shift) & 3) - min;
  }
}

}  // namespace aprx::codec
