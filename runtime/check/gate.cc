#include "runtime/check/gate.h"

#include <algorithm>
#include <utility>

namespace aprx {

const char* outcome_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHeld: return "held";
    case Outcome::kBroken: return "broken";
    case Outcome::kNotMeasured: return "not_measured";
  }
  return "not_measured";
}

Gate held(std::string name, std::string reason) {
  return {.name = std::move(name), .outcome = Outcome::kHeld, .reason = std::move(reason)};
}

Gate not_measured(std::string name, std::string reason) {
  return {.name = std::move(name), .outcome = Outcome::kNotMeasured, .reason = std::move(reason)};
}

Gate broken(std::string name, std::vector<Error> findings) {
  const Error& first = findings.front();
  std::string reason = (first.subject.empty() ? "" : first.subject + ": ") + first.found;
  const size_t count = findings.size();
  if (count > 1) reason += ", and " + std::to_string(count - 1) + " more findings";
  findings.resize(std::min(count, kMostFindings));
  return {.name = std::move(name),
          .outcome = Outcome::kBroken,
          .reason = std::move(reason),
          .findings = std::move(findings),
          .finding_count = count};
}

}  // namespace aprx
