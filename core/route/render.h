// Texts and JSON made from a Route. No other code says which backend runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/route/route.h"

namespace aprx {

// "Backend: cpu (AMD EPYC, AVX2, 2 threads), 24 of 24 layers [route 5f3a91c2]", and a line
// "notice: …" for each refusal that the Route carries. Lines end in newlines.
[[nodiscard]] std::string backend_line(const Route& route);

// The same facts as a JSON object.
[[nodiscard]] nlohmann::ordered_json route_json(const Route& route);

// The error of a plan that no device can run: each distinct cause once.
[[nodiscard]] Error capability_error(std::span<const Refusal> refusals, const Policy& policy);

[[nodiscard]] nlohmann::ordered_json refusal_json(const Refusal& refusal);

// "needs 1.2 GiB (weights 0.5 GiB, state 0.1 GiB, workspace 0.6 GiB), 0.9 GiB free".
[[nodiscard]] std::string memory_text(const MemoryNeed& need, uint64_t free);

[[nodiscard]] std::string route_digest(const Route& route);

}  // namespace aprx
