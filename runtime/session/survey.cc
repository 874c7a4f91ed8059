#include "runtime/session/survey.h"

#include <algorithm>

namespace aprx {

namespace {

Graph widened(const Graph& graph, const SurveyOptions& options) {
  return graph.with_dtypes([&](const Tensor& tensor) {
    for (const auto& [from, to] : options.widened) {
      if (tensor.dtype == from) return to;
    }
    return tensor.dtype;
  });
}

// Surveys one file; holds what one call of survey_model() knows.
class Surveyor {
 public:
  Surveyor(const DescriptionSet& descriptions, const SurveyOptions& options, Survey& survey)
      : descriptions_(descriptions), options_(options), survey_(survey) {}

  Result<void> run(const OpenDevices& open) {
    auto described = describe(options_.model);
    if (!described) {
      survey_.error = described.error();
      return {};
    }
    survey_.model = std::move(*described);
    const Graph graph = widened(survey_.model->built.graph, options_);
    const Policy policy = policy_for(survey_.model->built);
    for (const Device& device : open.devices) {
      // A yardstick is nobody's choice, unless it is named.
      if (device.is_yardstick() && options_.model.backends.empty()) continue;
      auto found = survey_device(graph, device, policy);
      if (!found) return found.error();
      survey_.devices.push_back(std::move(*found));
    }
    auto route = plan(graph, open.devices, open.unavailable, policy, survey_.file->recipes());
    if (route) {
      survey_.route = std::move(*route);
    } else {
      survey_.error = route.error();
      survey_.error->file = survey_.file->path();
    }
    return {};
  }

 private:
  Result<DescribedModel> describe(const ModelOptions& options) const {
    return describe_model(*survey_.file, descriptions_, options);
  }

  Policy policy_for(const BuiltGraph& built) const {
    Policy policy = policy_of(options_.model, built);
    policy.free_memory = options_.free_memory;
    return policy;
  }

  Result<DeviceSurvey> survey_device(const Graph& graph, const Device& device, const Policy& policy) const {
    auto assessment = assess(graph, std::span(&device, 1), policy);
    if (!assessment) return assessment.error();
    DeviceSurvey out{std::move(*assessment), free_memory(device, policy), {}, {}, {}};
    const bool refuses_dtype = std::ranges::any_of(out.assessment.refusals, [](const Refusal& refusal) {
      return refusal.reason == APRX_DTYPE_UNSUPPORTED;
    });
    if (refuses_dtype) {
      out.eligible_recipes = eligible_recipes(graph, device, survey_.file->recipes(), policy);
      out.smallest_change = smallest_retyping(graph, device, policy);
    }
    if (!out.assessment.placement.is_complete()) return out;
    auto largest = largest_context(device);
    if (!largest) return largest.error();
    out.largest_context = *largest;
    return out;
  }

  // Whether the model runs on the device with a context of this length.
  Result<bool> runs_with(const Device& device, int64_t context) const {
    ModelOptions options = options_.model;
    options.context = context;
    auto described = describe(options);
    if (!described) return described.error();
    auto found = assess(widened(described->built.graph, options_), std::span(&device, 1),
                        policy_for(described->built));
    if (!found) return found.error();
    return found->is_capable;
  }

  // Between the context of the survey and the model's own, in steps of a page.
  Result<int64_t> largest_context(const Device& device) const {
    constexpr int64_t kPage = 256;
    constexpr int64_t kUnlimited = int64_t{1} << 24U;
    const int64_t most = survey_.model->model_context > 0 ? survey_.model->model_context : kUnlimited;
    auto all = runs_with(device, most);
    if (!all) return all.error();
    if (*all) return most;
    int64_t fits = 0;
    int64_t fails = (most + kPage - 1) / kPage;
    while (fails - fits > 1) {
      const int64_t middle = fits + (fails - fits) / 2;
      auto runs = runs_with(device, middle * kPage);
      if (!runs) return runs.error();
      (*runs ? fits : fails) = middle;
    }
    return fits * kPage;
  }

  const DescriptionSet& descriptions_;
  const SurveyOptions& options_;
  Survey& survey_;
};

}  // namespace

Result<Survey> survey_model(PluginRegistry& registry, const DescriptionSet& descriptions,
                            const std::filesystem::path& path, const SurveyOptions& options) {
  auto file = registry.open_model(path);
  if (!file) return file.error();
  auto open = open_devices(registry, options.model.backends);
  if (!open) return open.error();
  Survey survey;
  survey.file = std::move(*file);
  survey.unavailable = open->unavailable;
  if (auto ok = Surveyor(descriptions, options, survey).run(*open); !ok) return ok.error();
  return survey;
}

}  // namespace aprx
