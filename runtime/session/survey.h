// What each device could do with a model, and what a run would do: found out from headers alone, by the
// same planner that a run uses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/route/assessment.h"
#include "core/route/remedy.h"
#include "runtime/session/model.h"

namespace aprx {

struct SurveyOptions {
  ModelOptions model = {};
  std::optional<uint64_t> free_memory = {};           // what if each device had this much
  std::vector<std::pair<DType, DType>> widened = {};  // what if tensors of the first were of the second
};

// One device, by itself.
struct DeviceSurvey {
  Assessment assessment;
  uint64_t free_memory = 0;                   // 0 if the device doesn't say
  std::optional<int64_t> largest_context;     // of a device that takes every operator; 0 if none fits
  std::vector<std::string> eligible_recipes;  // if it refuses a dtype: builds of the model that it would run
  std::vector<Retyping> smallest_change;      // if it refuses a dtype: to this file
};

struct Survey {
  std::unique_ptr<ModelFile> file;
  // Absent where no description fits the file, or a tensor's type isn't known: `error` says so.
  std::optional<DescribedModel> model;
  std::vector<DeviceSurvey> devices;
  std::vector<UnavailableBackend> unavailable;
  // What a run with the same options would do; else `error` is that run's.
  std::optional<Route> route;
  std::optional<Error> error;
};

// Errors: kBadFile where the file can't be read; kUsage and kPlugin for backends that don't exist.
[[nodiscard]] Result<Survey> survey_model(PluginRegistry& registry, const DescriptionSet& descriptions,
                                          const std::filesystem::path& path, const SurveyOptions& options);

}  // namespace aprx
