// Which kind a layer is of, by the tensors that the file has for it.
#pragma once

#include <string>
#include <vector>

#include "runtime/model/lookup.h"

namespace aprx {

// The kind of one layer; "" where the description has no kinds. A layer of which two kinds hold, or
// none, is refused. `layers` are the sources of the number of layers, for that message.
[[nodiscard]] Result<std::string> layer_kind(const Lookup& lookup, int64_t layer,
                                             const std::vector<Source>& layers);

// One warning for each cross-check that disagrees with `kinds`; those whose key is absent say nothing.
[[nodiscard]] std::vector<std::string> cross_check_warnings(const Lookup& lookup,
                                                            const std::vector<std::string>& kinds);

}  // namespace aprx
