// A short real run of a model, judged: does it run here, and does what it says and does hold together?
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plugin/registry.h"
#include "core/route/route.h"
#include "runtime/check/gate.h"
#include "runtime/model/description_set.h"
#include "runtime/session/model.h"

namespace aprx {

struct QaOptions {
  ModelOptions model = {};
  bool is_quick = false;                               // fewer tokens
  std::function<void(const std::string& gate)> begin;  // called as each gate begins; may be empty
};

// The gates, always all of them, in this order.
//
//   capability        a route was planned
//   tokenizer         texts come back as they were
//   chat_template     the model's own template renders
//   finite_logits     every logit of a prompt is finite
//   prefill_is_decode logits of one batch and of token by token agree
//   determinism       two greedy runs give the same tokens
//   output            the answer is neither empty nor a few tokens over and over
//   banner            what the executor ran is what the route says
//   second_backend    another backend's logits agree
struct QaReport {
  std::vector<Gate> gates;
  std::optional<Route> route;  // absent where nothing runs the model
  std::string answer;          // to the question that was asked
  std::optional<Error> error;  // why the gates could not be gone through
};

[[nodiscard]] QaReport check_quality(PluginRegistry& registry, const DescriptionSet& descriptions,
                                     const std::filesystem::path& path, const QaOptions& options);

// What the report as a whole says; nothing if all is well: the code of `error`; kCheckFailed where a gate is
// broken; kUnchecked where one is not measured.
[[nodiscard]] std::optional<ErrorCode> verdict(const QaReport& report);

}  // namespace aprx
