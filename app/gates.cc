#include "app/gates.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/json_report.h"

namespace aprx::app {

namespace {

using Json = nlohmann::ordered_json;

const char* outcome_in_words(Outcome outcome) {
  return outcome == Outcome::kNotMeasured ? "not measured" : outcome_word(outcome);
}

// A further line of an error's text is indented by itself; the finding is, in all.
std::string finding_text(const Error& finding) {
  std::string out = "    ";
  for (const char c : finding.text()) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out + "\n";
}

}  // namespace

Json gate_json(const Gate& gate) {
  Json findings = Json::array();
  for (const Error& finding : gate.findings) findings.push_back(error_json(finding));
  return {{"name", gate.name},
          {"outcome", outcome_word(gate.outcome)},
          {"asked_for", gate.is_asked_for},
          {"reason", printable(gate.reason)},
          {"finding_count", gate.finding_count},
          {"findings", std::move(findings)}};
}

std::string gate_text(const Gate& gate) {
  return fmt::format("{:<18} {:<13} {}\n", gate.name, outcome_in_words(gate.outcome), printable(gate.reason));
}

std::string findings_text(const Gate& gate) {
  std::string out;
  for (const Error& finding : gate.findings) out += finding_text(finding);
  const size_t more = gate.finding_count - gate.findings.size();
  if (more > 0) out += fmt::format("    and {} more\n", more);
  return out;
}

}  // namespace aprx::app
