// A model made ready to run: opened, described, planned, its weights prepared. Built once and kept
// for as long as it is used; sequences only add state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/exec/executor.h"
#include "core/plugin/model_file.h"
#include "core/plugin/registry.h"
#include "core/route/route.h"
#include "runtime/model/build_graph.h"
#include "runtime/model/description_set.h"
#include "runtime/text/tokenizer.h"

namespace aprx {

struct ModelOptions {
  std::vector<std::string> backends = {};  // empty: auto
  std::string target = {};                 // "" = the best
  std::optional<int64_t> context = {};     // positions; absent: the smaller of the model's and 8192
  DType kv_dtype = DType::kF16;
  uint32_t tokens_max = 512;      // most tokens of one run
  bool wants_all_logits = false;  // of every token of a run; bounds tokens_max so that they fit
  uint32_t threads = 1;           // of the host's pool, for the route
};

// What a file says of its model: everything that is known before a backend is asked.
struct DescribedModel {
  std::string architecture;
  BuiltGraph built;
  int64_t model_context = 0;  // the longest context that the model was made for; 0 if it doesn't say
};
// Errors: kBadFile, kCapability for an architecture or a tensor type that isn't known.
[[nodiscard]] Result<DescribedModel> describe_model(const ModelFile& file, const DescriptionSet& descriptions,
                                                    const ModelOptions& options);
// What is asked of the planner, for this model.
[[nodiscard]] Policy policy_of(const ModelOptions& options, const BuiltGraph& built);

// What a file says and what it will run on: everything that is known before a weight is read.
struct PlannedModel {
  std::unique_ptr<ModelFile> file;
  std::string architecture;
  Route route;
  std::vector<std::string> warnings;
  uint64_t parameters = 0;
  int64_t model_context = 0;  // the longest context that the model was made for; 0 if it doesn't say
};

// The devices of the backends that the options name (all of them for auto; backends that weren't
// named aren't even opened), and the backends that have none, with the reason.
struct OpenDevices {
  std::vector<Device> devices;
  std::vector<UnavailableBackend> unavailable;
};
[[nodiscard]] Result<OpenDevices> open_devices(PluginRegistry& registry,
                                               const std::vector<std::string>& names);

// Opens `path` and makes the Route. Reads headers only. Errors: kBadFile, kCapability.
[[nodiscard]] Result<PlannedModel> plan_model(PluginRegistry& registry, const DescriptionSet& descriptions,
                                              const std::filesystem::path& path, const ModelOptions& options);

// The file's tokenizer. Errors name the metadata key.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> tokenizer_of(const ModelFile& file);

// Fails unless the tokenizer and the embedding table of the file at `path` agree on the number of tokens.
[[nodiscard]] Result<void> check_vocabulary(const Tokenizer& tokenizer, const Graph& graph,
                                            const std::string& path);

// The name of a weight that holds a value which is not finite: what to look for when logits aren't.
// Decodes every weight; for use after a failure only. Nothing if all are finite.
[[nodiscard]] std::optional<std::string> weight_that_is_not_finite(const Route& route, ModelFile& file);

}  // namespace aprx
