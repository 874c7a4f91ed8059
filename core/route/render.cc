#include "core/route/render.h"

#include <fmt/format.h>

#include "core/base/format.h"

namespace aprx {

namespace {

std::string device_facts(const Route& route) {
  std::string facts = route.device().name;
  if (!route.target().empty()) facts += ", " + route.target();
  if ((route.device().flags & APRX_DEVICE_HOST_MEMORY) != 0) {
    const uint32_t threads = route.policy().threads;
    facts += fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
  }
  return facts;
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

}  // namespace

std::string backend_line(const Route& route) {
  std::string out = fmt::format("Backend: {} ({}), {} of {} layers [route {}]\n", route.device().id,
                                device_facts(route), route.layers(), route.layers(), route.digest());
  for (const Refusal& refusal : route.refusals()) {
    out += fmt::format("notice: {} not used: {}\n", refusal.device, refusal_text(refusal));
  }
  return out;
}

nlohmann::ordered_json refusal_json(const Refusal& refusal) {
  nlohmann::ordered_json out = {{"device", refusal.device}, {"reason", reason_word(refusal.reason)}};
  if (refusal.op != Op::kNone) out["operator"] = op_name(refusal.op);
  if (refusal.dtype != DType::kUnknown) out["dtype"] = dtype_name(refusal.dtype);
  out["tensors"] = refusal.tensors;
  out["text"] = refusal_text(refusal);
  return out;
}

nlohmann::ordered_json route_json(const Route& route) {
  const Device& device = route.device();
  nlohmann::ordered_json refusals = nlohmann::ordered_json::array();
  for (const Refusal& refusal : route.refusals()) refusals.push_back(refusal_json(refusal));
  const MemoryNeed& need = route.memory_need();
  return {{"digest", route.digest()},
          {"backend", device.backend},
          {"backend_version", device.backend_version},
          {"device", device.id},
          {"device_name", device.name},
          {"target", route.target()},
          {"threads", route.policy().threads},
          {"layers", route.layers()},
          {"context", route.graph().context},
          {"kv_type", dtype_name(route.graph().kv_dtype)},
          {"memory_bytes",
           {{"weights", need.weights},
            {"states", need.states},
            {"workspace", need.arena},
            {"total", need.total()}}},
          {"refusals", std::move(refusals)}};
}

Error capability_error(std::span<const Refusal> refusals, const Policy& policy) {
  Error error{ErrorCode::kCapability, "", "", "", "", ""};
  for (const Refusal& refusal : refusals) {
    error.found += (error.found.empty() ? "" : "; ") + refusal.device +
                   " can't run this model: " + refusal_text(refusal);
  }
  if (refusals.empty()) {
    error.subject = "--backend";
    error.found =
        policy.backends.empty() ? "no usable backend was found" : "no usable device of " + asked_for(policy);
    error.hint = "`aprx backends` lists what was found and why each isn't usable";
    return error;
  }
  error.hint = policy.backends.empty() ? "`aprx backends` lists what each backend takes"
                                       : "--backend=auto takes any backend that can run the model";
  return error;
}

std::string memory_text(const MemoryNeed& need, uint64_t free) {
  return fmt::format(
      "needs {} (weights {}, state {}, workspace {}), {} free; a smaller --ctx needs less state",
      bytes_text(need.total()), bytes_text(need.weights), bytes_text(need.states), bytes_text(need.arena),
      bytes_text(free));
}

std::string route_digest(const Route& route) {
  constexpr uint64_t kOffsetBasis = 0xCBF29CE484222325ULL;
  uint64_t hash = kOffsetBasis;
  for (const std::string& text : {route.device().backend, route.device().backend_version, route.device().id,
                                  route.device().name, route.target()}) {
    hash = fnv1a(fnv1a(hash, text), "|");
  }
  for (const Node& node : route.graph().nodes()) {
    hash = fnv1a(hash, node.label);
    for (const Operand& operand : node.operands) {
      const Tensor& tensor = route.graph().tensor(operand.tensor);
      hash = fnv1a(hash, fmt::format("{}{}{}", role_name(operand.role), dtype_name(tensor.dtype),
                                     shape_text(tensor.shape)));
    }
  }
  hash = fnv1a(hash, fmt::format("{}|{}|{}", route.policy().threads, route.memory_plan().size,
                                 route.workspace_size()));
  return fmt::format("{:08x}", static_cast<uint32_t>(hash ^ (hash >> 32U)));
}

}  // namespace aprx
