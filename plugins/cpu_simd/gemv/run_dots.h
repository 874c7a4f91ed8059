// Dots of any weights with a byte form, unpacked a run at a time into the first level of cache.
#pragma once

#include "plugins/cpu_simd/gemv/int8_dots.h"
#include "plugins/cpu_simd/unpack/byte_form.h"

namespace aprx::cpu {

// As DotsFn. A run is unpacked once for all rows of `x`.
void dots_of_runs(const ByteForm& form, const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
                  const Output& out);

}  // namespace aprx::cpu
