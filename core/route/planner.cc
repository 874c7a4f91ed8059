#include <algorithm>
#include <optional>

#include "core/route/assessment.h"
#include "core/route/remedy.h"
#include "core/route/render.h"
#include "core/route/route.h"
#include "core/route/stages.h"

namespace aprx {

namespace {

// Two devices must be this much cheaper than one, since estimates err.
constexpr double kPays = 0.9;

}  // namespace

// The only maker of Routes.
class RouteBuilder {
 public:
  static Route build(Assessment chosen, const Policy& policy, std::vector<PassedOver> passed_over) {
    Route route;
    route.stages_ = stages_of(chosen.placement.graph, chosen.placement.device_of);
    route.parts_ = std::move(chosen.parts);
    route.graph_ = std::move(chosen.placement.graph);
    route.memory_plan_ = std::move(chosen.memory_plan);
    route.policy_ = policy;
    route.layers_ = layers_of(route.graph_);
    route.passed_over_ = std::move(passed_over);
    drop_idle_parts(route);
    route.digest_ = route_digest(route);
    return route;
  }

 private:
  // A pair of devices of which one gets no node is a single one.
  static void drop_idle_parts(Route& route) {
    for (uint32_t i = static_cast<uint32_t>(route.parts_.size()); i-- > 0;) {
      if (route.parts_[i].operators > 0) continue;
      route.parts_.erase(route.parts_.begin() + i);
      for (Stage& stage : route.stages_) {
        if (stage.part > i) --stage.part;
        for (Transfer& transfer : stage.transfers) {
          if (transfer.from > i) --transfer.from;
        }
      }
    }
  }
};

namespace {

// Chooses among devices; holds what one call of plan() knows.
class Planner {
 public:
  Planner(const Graph& graph, std::span<const Device> devices,
          std::span<const UnavailableBackend> unavailable, const Policy& policy,
          std::span<const Recipe> recipes)
      : graph_(graph), policy_(policy), recipes_(recipes) {
    collect_candidates(devices, unavailable);
  }

  Result<Route> run() {
    for (const Device& device : candidates_) {
      auto single = assess(graph_, std::span(&device, 1), policy_);
      if (!single) return single.error();
      singles_.push_back(std::move(*single));
    }
    std::optional<Assessment> chosen = best_single();
    if (!is_settled(chosen)) {
      if (auto ok = try_pairs(chosen); !ok) return ok.error();
    }
    note_passed_over();
    if (!chosen) return capability_error(passed_over_, policy_);
    return RouteBuilder::build(std::move(*chosen), policy_, std::move(passed_over_));
  }

 private:
  bool is_ordered() const { return !policy_.backends.empty(); }

  // Devices to try, in the order of preference; named backends that have none are refused.
  void collect_candidates(std::span<const Device> devices, std::span<const UnavailableBackend> unavailable) {
    if (!is_ordered()) {
      for (const Device& device : devices) {
        if (!device.is_yardstick()) candidates_.push_back(device);
      }
      return;
    }
    for (const std::string& name : policy_.backends) {
      for (const Device& device : devices) {
        if (device.backend == name || device.id == name) candidates_.push_back(device);
      }
      for (const UnavailableBackend& backend : unavailable) {
        if (backend.name != name) continue;
        passed_over_.push_back(
            {name, {{name, backend.reason, Op::kNone, DType::kUnknown, {}, backend.detail, {}}}, {}});
      }
    }
  }

  std::optional<Assessment> best_single() const {
    const Assessment* best = nullptr;
    for (const Assessment& single : singles_) {
      if (!single.is_capable) continue;
      if (best == nullptr || single.seconds_per_token < best->seconds_per_token) best = &single;
      if (is_ordered()) break;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
  }

  // Whether the user's first choice runs everything.
  bool is_settled(const std::optional<Assessment>& chosen) const {
    return is_ordered() && chosen && !singles_.empty() && singles_.front().is_capable;
  }

  // A device that takes a part of the graph, with another behind it that takes the rest.
  Result<void> try_pairs(std::optional<Assessment>& chosen) const {
    for (size_t first = 0; first < candidates_.size(); ++first) {
      if (singles_[first].placement.is_complete()) continue;
      for (size_t second = 0; second < candidates_.size(); ++second) {
        if (candidates_[second].id == candidates_[first].id || (is_ordered() && second < first)) continue;
        auto pair = assess(graph_, std::vector{candidates_[first], candidates_[second]}, policy_);
        if (!pair) return pair.error();
        if (pair->is_capable && pays(*pair, chosen)) chosen = std::move(*pair);
      }
    }
    return {};
  }

  static bool pays(const Assessment& pair, const std::optional<Assessment>& chosen) {
    if (!chosen) return true;
    const double margin = chosen->parts.size() > 1 ? 1.0 : kPays;
    return pair.seconds_per_token < margin * chosen->seconds_per_token;
  }

  void note_passed_over() {
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (singles_[i].refusals.empty()) continue;
      passed_over_.push_back({candidates_[i].id, singles_[i].refusals, remedies_of(candidates_[i])});
    }
  }

  std::vector<std::string> remedies_of(const Device& device) const {
    std::vector<std::string> remedies;
    const auto recipes = eligible_recipes(graph_, device, recipes_, policy_);
    if (!recipes.empty()) remedies.push_back(recipe_text(recipes, device));
    return remedies;
  }

  const Graph& graph_;
  const Policy& policy_;
  std::span<const Recipe> recipes_;
  std::vector<Device> candidates_;
  std::vector<Assessment> singles_;  // of each candidate
  std::vector<PassedOver> passed_over_;
};

}  // namespace

MemoryNeed Route::memory_need() const {
  MemoryNeed need;
  for (const Part& part : parts_) {
    need.weights += part.need.weights;
    need.states += part.need.states;
    need.arena += part.need.arena;
  }
  return need;
}

Result<Route> plan(const Graph& graph, std::span<const Device> devices,
                   std::span<const UnavailableBackend> unavailable, const Policy& policy,
                   std::span<const Recipe> recipes) {
  return Planner(graph, devices, unavailable, policy, recipes).run();
}

}  // namespace aprx
