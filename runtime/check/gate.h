// What came of one check of a model file, as a value. Nothing here prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace aprx {

enum class Outcome {
  kHeld,         // all of it was looked at, and all of it is right
  kBroken,       // something is wrong; `findings` say what
  kNotMeasured,  // it, or a part of it, could not be looked at; never a success
};

// "held", "broken", "not_measured".
[[nodiscard]] const char* outcome_word(Outcome outcome);

struct Gate {
  std::string name;  // "sha256", "structure", "shapes", "values", "tokenizer"
  Outcome outcome = Outcome::kNotMeasured;
  std::string reason;                // one sentence: what was seen, or why nothing was
  std::vector<Error> findings = {};  // the first kMostFindings; kCapability where aprx, not the file, lacks
  size_t finding_count = 0;          // all of them
  bool is_asked_for = true;          // false: not measuring it was nobody's loss
};

inline constexpr size_t kMostFindings = 20;

[[nodiscard]] Gate held(std::string name, std::string reason);
[[nodiscard]] Gate not_measured(std::string name, std::string reason);
// `findings` must not be empty. The reason is the first one, in short.
[[nodiscard]] Gate broken(std::string name, std::vector<Error> findings);

}  // namespace aprx
