// Products of quantized matrices with many rows of activations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/cpu_simd/act/int8_rows.h"
#include "plugins/cpu_simd/gemv/int8_dots.h"
#include "plugins/cpu_simd/unpack/byte_form.h"

namespace aprx::cpu {

// Weight rows are unpacked to bytes a panel at a time and then meet all rows of `x`.
inline constexpr int64_t kPanelRows = 32;  // most rows of a panel; a target takes 8, 16 or 32
// Bytes of scratch that one call needs, 64-byte aligned.
uint64_t panel_scratch_bytes();

// As DotsFn, but fast for many rows of `x`: each weight is unpacked once. Reads begin .. end-1 in panels, so
// a range should be a multiple of kPanelRows long. Bound: arithmetic.
void panels(const ByteForm& form, const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
            const Output& out, std::byte* scratch);

}  // namespace aprx::cpu
