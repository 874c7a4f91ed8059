// Texts and JSON made from a Route. No other code says which backend runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/route/route.h"

namespace aprx {

// "Backend: cpu (AMD EPYC, AVX2, 2 threads), 24 of 24 layers [route 5f3a91c2]", with " + " between the
// parts of a mixed route; and one line "notice: …" for each device that was passed over. Lines end in
// newlines.
[[nodiscard]] std::string backend_line(const Route& route);

// "cpu (AMD EPYC, AVX2, 2 threads)", parts joined by " + ".
[[nodiscard]] std::string devices_text(const Route& route);

// The same facts as a JSON object (docs/schema/route.schema.json).
[[nodiscard]] nlohmann::ordered_json route_json(const Route& route);

// The error of a plan that no device can run: each distinct cause once, and the remedies.
[[nodiscard]] Error capability_error(std::span<const PassedOver> passed_over, const Policy& policy);

[[nodiscard]] nlohmann::ordered_json refusal_json(const Refusal& refusal);
[[nodiscard]] nlohmann::ordered_json memory_json(const MemoryNeed& need);

// "needs 1.2 GiB (weights 0.5 GiB, state 0.1 GiB, workspace 0.6 GiB), 0.9 GiB free".
[[nodiscard]] std::string memory_text(const MemoryNeed& need, uint64_t free);

// "a Q4_K_M, Q6_K or Q8_0 build of this model runs on cuda:0".
[[nodiscard]] std::string recipe_text(const std::vector<std::string>& recipes, const Device& device);

[[nodiscard]] std::string route_digest(const Route& route);

}  // namespace aprx
