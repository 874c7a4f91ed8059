// The value checks of a description, held against one file.
#pragma once

#include <set>
#include <string>

#include "runtime/model/lookup.h"

namespace aprx {

// Checks those requirements that hold for the whole model (`layer` is nothing; `used` is ignored), or
// those of one layer whose per-layer keys are all in `used`, the ones that the layer's nodes read. A
// false one is refused with both values and the keys behind them.
[[nodiscard]] Result<void> check_requirements(const Lookup& lookup, LayerIndex layer,
                                              const std::set<std::string>& used);

}  // namespace aprx
