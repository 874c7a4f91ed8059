#include "runtime/session/model.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "aprx/dtype/decode.hpp"
#include "runtime/model/build_graph.h"
#include "runtime/session/vocabulary_source.h"

namespace aprx {

namespace {

constexpr int64_t kDefaultContext = 8192;

Result<int64_t> model_context(const ModelFile& file, const std::string& architecture) {
  const std::string key = architecture + ".context_length";
  if (file.find(key) == nullptr) return int64_t{0};
  auto length = file.integer(key);
  if (length && *length <= 0) {
    return Error{ErrorCode::kBadFile,           file.path(), key, std::to_string(*length),
                 "a positive number of tokens", ""};
  }
  return length;
}

Result<int64_t> chosen_context(const ModelOptions& options, int64_t most) {
  if (!options.context) return most > 0 ? std::min(most, kDefaultContext) : kDefaultContext;
  if (*options.context < 1 || (most > 0 && *options.context > most)) {
    return Error{ErrorCode::kUsage,
                 "",
                 "--ctx",
                 std::to_string(*options.context),
                 most > 0 ? "1 to " + std::to_string(most) + ", the context that the model was made for"
                          : "at least 1",
                 ""};
  }
  return *options.context;
}

// Logits of a long vocabulary are large: 256 MiB of them at a time are enough.
constexpr int64_t kMostLogitsBytes = 256LL << 20U;

bool decodes_finite(DType dtype, const std::byte* data, int64_t rows, int64_t width) {
  const DecodeFn decode = decoder(dtype);
  if (decode == nullptr) return true;
  std::vector<float> row(static_cast<size_t>(width));
  const auto* bytes = reinterpret_cast<const uint8_t*>(data);
  for (int64_t r = 0; r < rows; ++r) {
    decode(bytes + r * row_bytes(dtype, width), width, row.data());
    if (!std::ranges::all_of(row, [](float v) { return std::isfinite(v); })) return false;
  }
  return true;
}

}  // namespace

Result<OpenDevices> open_devices(PluginRegistry& registry, const std::vector<std::string>& names) {
  OpenDevices open;
  for (const std::string& name : names.empty() ? registry.backend_names() : names) {
    // A device is asked for by its backend's name or by its own id, "cuda:1".
    auto backend = registry.backend(name.substr(0, name.find(':')));
    if (!backend) {
      // A broken backend doesn't concern who didn't ask for it; `aprx backends` lists it.
      if (names.empty()) continue;
      return backend.error();
    }
    const aprx_verdict available = (*backend)->availability();
    if (available.reason != APRX_SUPPORTED) {
      open.unavailable.push_back({name, static_cast<aprx_reason>(available.reason), available.detail});
      continue;
    }
    std::ranges::move((*backend)->devices(), std::back_inserter(open.devices));
  }
  return open;
}

Policy policy_of(const ModelOptions& options, const BuiltGraph& built) {
  int64_t tokens_max = std::min<int64_t>(options.tokens_max, built.graph.context);
  if (options.wants_all_logits) {
    const int64_t most = kMostLogitsBytes / static_cast<int64_t>(sizeof(float)) / built.vocabulary;
    tokens_max = std::clamp<int64_t>(most, 1, tokens_max);
  }
  const auto count = static_cast<uint32_t>(tokens_max);
  return {options.backends, options.target, count, options.wants_all_logits ? count : 1, options.threads};
}

Result<DescribedModel> describe_model(const ModelFile& file, const DescriptionSet& descriptions,
                                      const ModelOptions& options) {
  const FileFacts facts = facts_of(file);
  auto description = descriptions.select(facts);
  if (!description) return description.error();
  const std::string architecture = *architecture_of(facts);
  auto most = model_context(file, architecture);
  if (!most) return most.error();
  auto context = chosen_context(options, *most);
  if (!context) return context.error();
  auto built = build_graph(**description, facts, {*context, options.kv_dtype});
  if (!built) return built.error();
  return DescribedModel{architecture, std::move(*built), *most};
}

Result<PlannedModel> plan_model(PluginRegistry& registry, const DescriptionSet& descriptions,
                                const std::filesystem::path& path, const ModelOptions& options) {
  auto file = registry.open_model(path);
  if (!file) return file.error();
  auto described = describe_model(**file, descriptions, options);
  if (!described) return described.error();
  auto open = open_devices(registry, options.backends);
  if (!open) return open.error();
  BuiltGraph& built = described->built;
  auto route =
      plan(built.graph, open->devices, open->unavailable, policy_of(options, built), (*file)->recipes());
  if (!route) {
    route.error().file = (*file)->path();
    return route.error();
  }
  std::vector<std::string> warnings((*file)->warnings().begin(), (*file)->warnings().end());
  std::ranges::move(built.warnings, std::back_inserter(warnings));
  return PlannedModel{std::move(*file),  std::move(described->architecture),
                      std::move(*route), std::move(warnings),
                      built.parameters,  described->model_context};
}

Result<std::unique_ptr<Tokenizer>> tokenizer_of(const ModelFile& file) {
  auto source = vocabulary_source(file);
  if (!source) return source.error();
  auto tokenizer = Tokenizer::create(std::move(*source));
  if (!tokenizer) tokenizer.error().file = file.path();
  return tokenizer;
}

Result<void> check_vocabulary(const Tokenizer& tokenizer, const Graph& graph, const std::string& path) {
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::kEmbed) continue;
    const Tensor& table = graph.tensor(node.find(Role::kTable));
    if (table.shape[0] == static_cast<int64_t>(tokenizer.size())) continue;
    return Error{ErrorCode::kBadFile,
                 path,
                 table.name,
                 std::to_string(table.shape[0]) + " rows",
                 std::to_string(tokenizer.size()) + ", the number of tokenizer.ggml.tokens",
                 ""};
  }
  return {};
}

std::optional<std::string> weight_that_is_not_finite(const Route& route, ModelFile& file) {
  for (const Tensor& tensor : route.graph().tensors()) {
    if (tensor.kind != APRX_WEIGHT && tensor.kind != APRX_VECTOR) continue;
    const FileTensor* source = file.find_tensor(tensor.name);
    auto data = file.data(*source);
    if (!data) return tensor.name;
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) rows *= tensor.shape[i];
    if (!decodes_finite(tensor.dtype, *data, rows, tensor.shape.back())) return tensor.name;
  }
  return std::nullopt;
}

}  // namespace aprx
