#include "core/route/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/format.h"

namespace aprx {

namespace {

std::string part_text(const Part& part, const Policy& policy) {
  std::string facts = part.device.name;
  if (!part.target.empty()) facts += ", " + part.target;
  if ((part.device.flags & APRX_DEVICE_HOST_MEMORY) != 0) {
    facts += fmt::format(", {} thread{}", policy.threads, policy.threads == 1 ? "" : "s");
  }
  return fmt::format("{} ({})", part.device.id, facts);
}

// A route is told by layers, unless it splits one.
bool splits_layers(const Route& route) {
  uint32_t whole = 0;
  for (const Part& part : route.parts()) whole += part.layers;
  return whole != route.layers();
}

std::string share_text(const Route& route, const Part& part) {
  if (splits_layers(route))
    return fmt::format("{} of {} operators", part.operators, route.graph().nodes().size());
  return fmt::format("{} of {} layers", part.layers, route.layers());
}

const Part* part_on(const Route& route, const std::string& device) {
  const auto part =
      std::ranges::find_if(route.parts(), [&](const Part& each) { return each.device.id == device; });
  return part == route.parts().end() ? nullptr : &*part;
}

std::string ids_of(const Route& route) {
  std::string ids;
  for (const Part& part : route.parts()) ids += (ids.empty() ? "" : " + ") + part.device.id;
  return ids;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : "; ") + text;
  return out;
}

std::string causes_of(const PassedOver& passed) {
  std::string causes;
  for (const Refusal& refusal : passed.refusals) {
    causes += (causes.empty() ? "" : "; ") + refusal_text(refusal);
  }
  return causes;
}

// What a device doesn't do, why, what does it instead, and what would help.
std::string notice_of(const Route& route, const PassedOver& passed) {
  const Part* part = part_on(route, passed.device);
  std::string out =
      part == nullptr
          ? fmt::format("notice: {} not used, {} runs the model: ", passed.device, ids_of(route))
          : fmt::format("notice: {} doesn't run {} of {} operators, another device does: ", passed.device,
                        route.graph().nodes().size() - part->operators, route.graph().nodes().size());
  out += causes_of(passed);
  if (!passed.remedies.empty()) out += "; what helps: " + joined(passed.remedies);
  return printable(out) + "\n";
}

uint64_t fnv1a(uint64_t hash, std::string_view text) {
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001B3ULL;
  return hash;
}

std::string asked_for(const Policy& policy) {
  std::string names;
  for (const std::string& name : policy.backends) names += (names.empty() ? "" : ",") + name;
  return names;
}

nlohmann::ordered_json part_json(const Part& part) {
  return {{"backend", part.device.backend}, {"backend_version", part.device.backend_version},
          {"device", part.device.id},       {"device_name", part.device.name},
          {"target", part.target},          {"operators", part.operators},
          {"layers", part.layers},          {"memory_bytes", memory_json(part.need)}};
}

nlohmann::ordered_json passed_json(const PassedOver& passed) {
  nlohmann::ordered_json refusals = nlohmann::ordered_json::array();
  for (const Refusal& refusal : passed.refusals) refusals.push_back(refusal_json(refusal));
  return {{"device", passed.device}, {"refusals", std::move(refusals)}, {"remedies", passed.remedies}};
}

}  // namespace

std::string devices_text(const Route& route) {
  std::string out;
  for (const Part& part : route.parts()) out += (out.empty() ? "" : " + ") + part_text(part, route.policy());
  return out;
}

std::string backend_line(const Route& route) {
  std::string shares;
  for (const Part& part : route.parts()) {
    shares += fmt::format("{}{}, {}", shares.empty() ? "" : " + ", part_text(part, route.policy()),
                          share_text(route, part));
  }
  std::string out = fmt::format("Backend: {} [route {}]\n", shares, route.digest());
  for (const PassedOver& passed : route.passed_over()) out += notice_of(route, passed);
  return out;
}

nlohmann::ordered_json memory_json(const MemoryNeed& need) {
  return {
      {"weights", need.weights}, {"states", need.states}, {"workspace", need.arena}, {"total", need.total()}};
}

nlohmann::ordered_json refusal_json(const Refusal& refusal) {
  nlohmann::ordered_json out = {{"device", refusal.device}, {"reason", reason_word(refusal.reason)}};
  if (refusal.op != Op::kNone) out["operator"] = op_name(refusal.op);
  if (refusal.dtype != DType::kUnknown) out["dtype"] = dtype_name(refusal.dtype);
  out["tensors"] = refusal.tensors;
  if (!refusal.accepted.empty()) out["accepted"] = refusal.accepted;
  out["text"] = refusal_text(refusal);
  return out;
}

nlohmann::ordered_json route_json(const Route& route) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const Part& part : route.parts()) parts.push_back(part_json(part));
  nlohmann::ordered_json passed = nlohmann::ordered_json::array();
  for (const PassedOver& each : route.passed_over()) passed.push_back(passed_json(each));
  return {{"digest", route.digest()},
          {"parts", std::move(parts)},
          {"threads", route.policy().threads},
          {"layers", route.layers()},
          {"operators", route.graph().nodes().size()},
          {"context", route.graph().context},
          {"kv_type", dtype_name(route.graph().kv_dtype)},
          {"memory_bytes", memory_json(route.memory_need())},
          {"passed_over", std::move(passed)}};
}

Error capability_error(std::span<const PassedOver> passed_over, const Policy& policy) {
  Error error{ErrorCode::kCapability, "", "", "", "", ""};
  std::vector<std::string> remedies;
  for (const PassedOver& passed : passed_over) {
    error.found += fmt::format("{}{} can't run this model: {}", error.found.empty() ? "" : "; ",
                               passed.device, causes_of(passed));
    remedies.insert(remedies.end(), passed.remedies.begin(), passed.remedies.end());
  }
  if (passed_over.empty()) {
    error.subject = "--backend";
    error.found =
        policy.backends.empty() ? "no usable backend was found" : "no usable device of " + asked_for(policy);
    error.hint = "`aprx backends` lists what was found and why each isn't usable";
    return error;
  }
  error.hint = remedies.empty() ? "`aprx probe MODEL` shows what each backend takes" : joined(remedies);
  return error;
}

std::string memory_text(const MemoryNeed& need, uint64_t free) {
  return fmt::format(
      "needs {} (weights {}, state {}, workspace {}), {} free; a smaller --ctx needs less state",
      bytes_text(need.total()), bytes_text(need.weights), bytes_text(need.states), bytes_text(need.arena),
      bytes_text(free));
}

std::string recipe_text(const std::vector<std::string>& recipes, const Device& device) {
  constexpr size_t kMost = 3;
  const size_t count = std::min(recipes.size(), kMost);
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    names += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + recipes[i];
  }
  return fmt::format("a {} build of this model runs on {}", names, device.id);
}

std::string route_digest(const Route& route) {
  constexpr uint64_t kOffsetBasis = 0xCBF29CE484222325ULL;
  uint64_t hash = kOffsetBasis;
  for (const Part& part : route.parts()) {
    for (const std::string& text :
         {part.device.backend, part.device.backend_version, part.device.id, part.device.name, part.target}) {
      hash = fnv1a(fnv1a(hash, text), "|");
    }
    hash = fnv1a(hash, fmt::format("{}|", part.workspace_size));
  }
  for (const Stage& stage : route.stages()) {
    hash = fnv1a(hash, fmt::format("{}:{}+{}|", stage.part, stage.first_node, stage.node_count));
  }
  for (const Node& node : route.graph().nodes()) {
    hash = fnv1a(hash, node.label);
    for (const Operand& operand : node.operands) {
      const Tensor& tensor = route.graph().tensor(operand.tensor);
      hash = fnv1a(hash, fmt::format("{}{}{}", role_name(operand.role), dtype_name(tensor.dtype),
                                     shape_text(tensor.shape)));
    }
  }
  hash = fnv1a(hash, fmt::format("{}|{}", route.policy().threads, route.memory_plan().size));
  return fmt::format("{:08x}", static_cast<uint32_t>(hash ^ (hash >> 32U)));
}

}  // namespace aprx
