// Quantized weights as bytes for integer products, a run of a row at a time:
//
//   w[i] = scale · (byte[i] − offset) − min        scale and min one for a group of 16 or 32 neighbours
//
// Dots and panels see a dtype only in this form, so a dtype needs an unpacker and a line of weight_format.h.
#pragma once

#include <cstdint>

#include "aprx/dtype.hpp"

namespace aprx::cpu {

// Up to 256 neighbouring weights. Memory that callers keep; what lies past the weights unpacked is undefined.
struct Run {
  static constexpr int64_t kMost = 256;
  static constexpr int64_t kBlocks = kMost / 32;

  alignas(64) uint8_t q[kMost];
  // [h][b]: of half h of the 32 weights b. Where these form one group, only [0][b].
  alignas(32) float scale[2][kBlocks];
  alignas(32) float min[2][kBlocks];  // only where the form has one
};

// Unpacks `elements` weights: whole blocks at any alignment, at most Run::kMost.
using UnpackFn = void (*)(const uint8_t* blocks, int64_t elements, Run& run);

// The largest byte, which decides how products may be summed in 16 bits; kSigned bytes are int8.
enum class ByteRange { k15, k63, k128, kSigned };

struct ByteForm {
  DType dtype = DType::kUnknown;
  UnpackFn (*unpacker)(DType dtype) = nullptr;  // for the target in use
  ByteRange range = ByteRange::k15;
  int group = 32;  // 16 or 32
  int offset = 0;  // zero for kSigned and where there is a min
  bool has_min = false;

  [[nodiscard]] constexpr int64_t run_bytes() const { return row_bytes(dtype, Run::kMost); }
};

UnpackFn unpacker_of_small_blocks(DType dtype);  // those of 32, 64 and 128 weights
UnpackFn unpacker_of_k_quants(DType dtype);      // blocks of 256 with bit fields
UnpackFn unpacker_of_grids(DType dtype);         // blocks of 256 with points of a grid

}  // namespace aprx::cpu
