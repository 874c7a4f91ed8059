// Gate `shapes`: the file has the tensors, shapes and keys that its architecture's description asks for.
#pragma once

#include <optional>

#include "core/plugin/model_file.h"
#include "runtime/check/gate.h"
#include "runtime/model/build_graph.h"
#include "runtime/model/description_set.h"

namespace aprx {

inline constexpr const char* kShapesGate = "shapes";

struct ShapesResult {
  Gate gate;
  std::optional<BuiltGraph> built;  // where it held
};

// Builds the model's graph; reads no tensor data. An unknown architecture is a kCapability finding with the
// known names. Not measured where types of tensors aren't known.
[[nodiscard]] ShapesResult check_shapes(const DescriptionSet& descriptions, const ModelFile& file);

}  // namespace aprx
