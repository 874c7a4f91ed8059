#include "app/probe_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "app/inspection.h"
#include "app/json_report.h"
#include "core/base/format.h"
#include "core/route/render.h"

namespace aprx::app {

namespace {

using Json = nlohmann::ordered_json;

const char* verdict_of(const Assessment& assessment) {
  if (assessment.is_capable) return "runs";
  const bool takes_some = assessment.parts[0].operators > 0;
  return takes_some && !assessment.placement.is_complete() ? "runs_partly" : "refused";
}

Json change_json(const std::vector<Retyping>& changes) {
  Json out = Json::array();
  for (const Retyping& change : changes) {
    out.push_back({{"tensors", change.tensors},
                   {"dtype", dtype_name(change.dtype)},
                   {"bytes_before", change.bytes_before},
                   {"bytes_after", change.bytes_after}});
  }
  return out;
}

Json device_json(const DeviceSurvey& survey) {
  const Assessment& assessment = survey.assessment;
  const Part& part = assessment.parts[0];
  Json refusals = Json::array();
  for (const Refusal& refusal : assessment.refusals) refusals.push_back(refusal_json(refusal));
  return {{"device", part.device.id},
          {"backend", part.device.backend},
          {"device_name", part.device.name},
          {"target", part.target},
          {"verdict", verdict_of(assessment)},
          {"operators", assessment.placement.device_of.size()},
          {"operators_taken", part.operators},
          {"memory_bytes", memory_json(part.need)},
          {"free_bytes", survey.free_memory > 0 ? Json(survey.free_memory) : Json(nullptr)},
          {"largest_context", survey.largest_context ? Json(*survey.largest_context) : Json(nullptr)},
          {"refusals", std::move(refusals)},
          {"eligible_recipes", survey.eligible_recipes},
          {"smallest_change", change_json(survey.smallest_change)}};
}

Json unavailable_json(const UnavailableBackend& backend) {
  const Refusal refusal{backend.name, backend.reason, Op::kNone, DType::kUnknown, {}, backend.detail, {}};
  return {{"device", backend.name},
          {"backend", backend.name},
          {"verdict", "unavailable"},
          {"refusals", Json::array({refusal_json(refusal)})}};
}

// Where each tensor of the file goes, and why: by the route, if there is one.
class TensorList {
 public:
  explicit TensorList(const Survey& survey) : survey_(survey) {
    if (survey.route) read(*survey.route);
  }

  Json json() const {
    Json out = Json::array();
    for (const FileTensor& tensor : survey_.file->tensors()) out.push_back(tensor_json(tensor));
    return out;
  }

 private:
  struct Use {
    std::string op;
    std::string device;
  };

  void read(const Route& route) {
    for (const Stage& stage : route.stages()) {
      for (const Node& node : route.graph().nodes().subspan(stage.first_node, stage.node_count)) {
        for (const Operand& operand : node.operands) {
          const Tensor& tensor = route.graph().tensor(operand.tensor);
          if (tensor.kind != APRX_WEIGHT && tensor.kind != APRX_VECTOR) continue;
          uses_[tensor.name].push_back({std::string(op_name(node.op)), route.parts()[stage.part].device.id});
        }
      }
    }
    for (const PassedOver& passed : route.passed_over()) {
      for (const Refusal& refusal : passed.refusals) {
        for (const std::string& tensor : refusal.tensors) {
          reasons_[tensor] += fmt::format("{}{}: {}", reasons_[tensor].empty() ? "" : "; ", refusal.device,
                                          reason_text(refusal.reason));
        }
      }
    }
  }

  Json tensor_json(const FileTensor& tensor) const {
    Json out = {{"name", printable(tensor.name)},
                {"dtype", tensor.dtype_name},
                {"shape", tensor.shape},
                {"bytes", tensor.size}};
    const auto used = uses_.find(tensor.name);
    Json uses = Json::array();
    if (used != uses_.end()) {
      for (const Use& use : used->second) uses.push_back({{"operator", use.op}, {"device", use.device}});
    }
    const auto reason = reasons_.find(tensor.name);
    out["why"] = reason != reasons_.end() ? reason->second
                 : !survey_.route         ? "nothing that was asked for runs this model"
                 : uses.empty()           ? "no operator uses it"
                                          : "the first choice takes it";
    out["uses"] = std::move(uses);
    return out;
  }

  const Survey& survey_;
  std::unordered_map<std::string, std::vector<Use>> uses_;
  std::unordered_map<std::string, std::string> reasons_;
};

std::string word(const Json& value) { return value.get<std::string>(); }

std::string bytes_or_unknown(const Json& bytes) {
  return bytes.is_null() ? "unknown" : bytes_text(bytes.get<uint64_t>());
}

std::string verdict_text(const Json& device) {
  const std::string verdict = word(device["verdict"]);
  if (verdict != "runs_partly") return verdict;
  return fmt::format("runs partly: {} of {} operators", device["operators_taken"].get<uint64_t>(),
                     device["operators"].get<uint64_t>());
}

std::string help_text(const Json& device) {
  if (!device.contains("eligible_recipes")) return "";
  std::string out;
  std::string recipes;
  for (const Json& recipe : device["eligible_recipes"])
    recipes += (recipes.empty() ? "" : " ") + word(recipe);
  if (!recipes.empty()) out += fmt::format("    builds of this model that it runs: {}\n", recipes);
  for (const Json& change : device["smallest_change"]) {
    const auto tensors = change["tensors"].get<std::vector<std::string>>();
    const std::string pattern = tensors.size() == 1 ? tensors[0] : common_pattern(tensors);
    out += fmt::format("    smallest change: {} tensor{}{} as {} ({} instead of {})\n", tensors.size(),
                       tensors.size() == 1 ? "" : "s", pattern.empty() ? "" : " like " + printable(pattern),
                       word(change["dtype"]), bytes_text(change["bytes_after"].get<uint64_t>()),
                       bytes_text(change["bytes_before"].get<uint64_t>()));
  }
  return out;
}

std::string device_text(const Json& device) {
  std::string out = word(device["device"]);
  if (device.contains("device_name")) out += " (" + word(device["device_name"]) + ")";
  out += ": " + verdict_text(device) + "\n";
  if (device.contains("memory_bytes")) {
    const Json& need = device["memory_bytes"];
    out += fmt::format("    needs {} (weights {}, state {}, workspace {}), {} free\n",
                       bytes_text(need["total"].get<uint64_t>()), bytes_text(need["weights"].get<uint64_t>()),
                       bytes_text(need["states"].get<uint64_t>()),
                       bytes_text(need["workspace"].get<uint64_t>()), bytes_or_unknown(device["free_bytes"]));
    if (!device["largest_context"].is_null()) {
      out +=
          fmt::format("    largest context that fits: {} tokens\n", device["largest_context"].get<int64_t>());
    }
  }
  for (const Json& refusal : device["refusals"]) out += "    " + printable(word(refusal["text"])) + "\n";
  return out + help_text(device);
}

std::string tensors_text(const Json& tensors) {
  std::string out = "\n";
  for (const Json& tensor : tensors) {
    std::string uses;
    for (const Json& use : tensor["uses"]) {
      uses += fmt::format("{}{} on {}", uses.empty() ? "" : ", ", word(use["operator"]), word(use["device"]));
    }
    out += fmt::format("{:<40} {:<8} {:<18} {} ({})\n", word(tensor["name"]), word(tensor["dtype"]),
                       shape_text(tensor["shape"].get<std::vector<int64_t>>()),
                       uses.empty() ? "unused" : uses, printable(word(tensor["why"])));
  }
  return out;
}

}  // namespace

Json probe_json(const Survey& survey, bool lists_tensors) {
  Json out = inspect_summary(*survey.file);
  out["architecture"] = survey.model ? Json(survey.model->architecture) : Json(nullptr);
  out["context"] = survey.model ? Json(survey.model->built.graph.context) : Json(nullptr);
  out["model_context"] = survey.model ? Json(survey.model->model_context) : Json(nullptr);
  out["kv_type"] = survey.model ? Json(dtype_name(survey.model->built.graph.kv_dtype)) : Json(nullptr);
  Json devices = Json::array();
  for (const DeviceSurvey& device : survey.devices) devices.push_back(device_json(device));
  for (const UnavailableBackend& backend : survey.unavailable) devices.push_back(unavailable_json(backend));
  out["devices"] = std::move(devices);
  out["route"] = survey.route ? route_json(*survey.route) : Json(nullptr);
  out["would_run_on"] = survey.route ? Json(devices_text(*survey.route)) : Json(nullptr);
  if (lists_tensors) out["tensors"] = TensorList(survey).json();
  out["error"] = survey.error ? error_json(*survey.error) : Json(nullptr);
  return out;
}

std::string probe_text(const Json& report) {
  std::string out = summary_text(report);
  if (!report["architecture"].is_null()) {
    out += fmt::format("\n{}, context {} (model: {}), KV cache {}\n", word(report["architecture"]),
                       report["context"].get<int64_t>(), report["model_context"].get<int64_t>(),
                       word(report["kv_type"]));
  }
  out += "\n";
  for (const Json& device : report["devices"]) out += device_text(device);
  if (!report["would_run_on"].is_null()) {
    out += fmt::format("\nA run would use {} [route {}]\n", word(report["would_run_on"]),
                       word(report["route"]["digest"]));
  }
  return report.contains("tensors") ? out + tensors_text(report["tensors"]) : out;
}

Json kernels_json(PluginRegistry& registry) {
  Json backends = Json::array();
  for (const std::string& name : registry.backend_names()) {
    auto backend = registry.backend(name);
    if (!backend) continue;
    const aprx_verdict available = (*backend)->availability();
    Json devices = Json::array();
    for (const Device& device : (*backend)->devices()) {
      Json operators = Json::object();
      for (const Op op : operators_of(device)) operators[std::string(op_name(op))] = dtypes_of(device, op);
      devices.push_back({{"device", device.id}, {"operators", std::move(operators)}});
    }
    backends.push_back({{"backend", name},
                        {"available", available.reason == APRX_SUPPORTED},
                        {"reason", reason_word(static_cast<aprx_reason>(available.reason))},
                        {"detail", available.detail},
                        {"devices", std::move(devices)}});
  }
  return {{"backends", std::move(backends)}};
}

std::string kernels_text(const Json& kernels) {
  std::string out;
  for (const Json& backend : kernels["backends"]) {
    if (!backend["available"].get<bool>()) {
      out += fmt::format("{}: not available: {}\n", word(backend["backend"]), word(backend["detail"]));
    }
    for (const Json& device : backend["devices"]) {
      out += word(device["device"]) + "\n";
      for (const auto& [op, dtypes] : device["operators"].items()) {
        std::string names;
        for (const Json& dtype : dtypes) names += (names.empty() ? "" : " ") + word(dtype);
        out += fmt::format("    {:<20} {}\n", op, names.empty() ? "yes" : names);
      }
    }
  }
  return out;
}

}  // namespace aprx::app
