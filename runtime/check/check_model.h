// Checks a model file without running it: is it whole, and does it hold what a model of its kind needs?
// Five gates, always all of them and always in this order: sha256, structure, shapes, values, tokenizer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plugin/registry.h"
#include "runtime/check/check_context.h"
#include "runtime/check/gate.h"
#include "runtime/model/description_set.h"

namespace aprx {

struct ModelCheck {
  std::vector<std::string> files = {};     // all that belong to the model
  std::vector<Gate> gates = {};            // five
  std::vector<std::string> warnings = {};  // oddities that do no harm, each one sentence
  // Why the check could not be made: the file can't be read as a model (kBadFile; the gate `structure` is
  // broken by the same error), a plugin failed, the user stopped it, --sha256 can't be meant.
  std::optional<Error> error = {};
};

// `sha256` is the sum that the only file must have, or empty (see sum_gate.h).
[[nodiscard]] ModelCheck check_model(PluginRegistry& registry, const DescriptionSet& descriptions,
                                     const std::string& path, const std::string& sha256,
                                     const CheckContext& context);

// What the check as a whole says; nothing if all is well. In this order: that of `error`; kCheckFailed where
// anything is wrong with the file; kCapability where it only has what aprx doesn't know; kUnchecked where a
// gate that was asked for is not measured.
[[nodiscard]] std::optional<ErrorCode> verdict(const ModelCheck& check);

}  // namespace aprx
