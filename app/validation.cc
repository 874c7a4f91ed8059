#include "app/validation.h"

#include <nlohmann/json.hpp>

#include "app/gates.h"
#include "app/json_report.h"
#include "runtime/check/structure_gate.h"

namespace aprx::app {

namespace {

using Json = nlohmann::ordered_json;

Json printable_list(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(printable(text));
  return out;
}

std::string verdict_text(const ModelCheck& check) {
  const auto code = verdict(check);
  if (!code) return "held: nothing is wrong with this file\n";
  switch (*code) {
    case ErrorCode::kCheckFailed: return "broken: something is wrong with this file\n";
    case ErrorCode::kCapability:
      return "not supported: the file has what this version of aprx doesn't know\n";
    case ErrorCode::kUnchecked: return "not checked: nothing is wrong, but a gate was not measured\n";
    default: return "";  // the error says it
  }
}

}  // namespace

int exit_code(const ModelCheck& check) {
  const auto code = verdict(check);
  return code ? static_cast<int>(*code) : 0;
}

Json validation_json(const std::string& model, const ModelCheck& check) {
  const auto code = verdict(check);
  Json gates = Json::array();
  for (const Gate& gate : check.gates) gates.push_back(gate_json(gate));
  return {{"model", model.empty() ? Json(nullptr) : Json(printable(model))},
          {"files", printable_list(check.files)},
          {"verdict", code ? error_word(*code) : "held"},
          {"exit_code", exit_code(check)},
          {"gates", std::move(gates)},
          {"warnings", printable_list(check.warnings)},
          {"error", check.error ? error_json(*check.error) : Json(nullptr)}};
}

std::string validation_text(const ModelCheck& check) {
  std::string out;
  // Why the structure can't be read is the command's error, and is said there.
  for (const Gate& gate : check.gates) {
    out += gate_text(gate);
    if (!check.error || gate.name != kStructureGate) out += findings_text(gate);
  }
  return out + verdict_text(check);
}

}  // namespace aprx::app
