// Gate `structure`: every tensor's bytes lie inside its file and in no other tensor, and its type is known.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/plugin/model_file.h"
#include "runtime/check/gate.h"

namespace aprx {

inline constexpr const char* kStructureGate = "structure";

// Reads no tensor data. Format plugins refuse most of this when they open a file; this looks again, at what
// they gave, whatever the format.
[[nodiscard]] Gate check_structure(const ModelFile& file);

// The parts of it. An overlap names the tensor that starts later and the other one; a type that isn't known
// is one kCapability for all tensors that have it, with its name, if it ever had one, and its number.
[[nodiscard]] std::vector<Error> overlaps(const std::string& path, std::span<const FileTensor> tensors);
[[nodiscard]] std::vector<Error> types_not_known(const std::string& path,
                                                 std::span<const FileTensor> tensors);

}  // namespace aprx
