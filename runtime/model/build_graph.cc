#include "runtime/model/build_graph.h"

#include "runtime/model/graph_builder.h"
#include "runtime/model/layer_kind.h"
#include "runtime/model/requirement.h"

namespace aprx {

namespace {

Result<BuiltGraph> build(const Lookup& lookup, const GraphOptions& options) {
  const Description& description = lookup.description();
  if (auto ok = check_requirements(lookup, std::nullopt, {}); !ok) return ok.error();
  const auto layers = lookup.integer(description.layers, std::nullopt);
  if (!layers) return layers.error();
  const int64_t count = std::get<int64_t>(*layers->value);

  GraphBuilder builder(lookup, options, layers->sources);
  if (auto ok = builder.add_nodes(description.embed, {std::nullopt, "embed", ""}); !ok) return ok.error();
  // The count is the file's word; the loop ends at the first layer whose tensors are not there.
  std::vector<std::string> kinds;
  for (int64_t i = 0; i < count; ++i) {
    auto kind = layer_kind(lookup, i, layers->sources);
    if (!kind) return kind.error();
    kinds.push_back(*kind);
    if (auto ok = builder.add_nodes(description.layer, {i, "blk." + std::to_string(i), *kind}); !ok)
      return ok.error();
  }
  if (auto ok = builder.add_nodes(description.head, {std::nullopt, "head", ""}); !ok) return ok.error();
  if (auto ok = builder.claim_drafts(*layers); !ok) return ok.error();

  auto built = builder.finish();
  if (!built) return built;
  for (std::string& warning : cross_check_warnings(lookup, kinds))
    built->warnings.push_back(std::move(warning));
  built->layer_kinds = std::move(kinds);
  return built;
}

}  // namespace

Result<BuiltGraph> build_graph(const Description& description, const FileFacts& file,
                               const GraphOptions& options) {
  if (auto ok = check_dtypes(file); !ok) return ok.error();
  auto architecture = architecture_of(file);
  if (!architecture) return architecture.error();
  const auto scheme = description.schemes.find(file.scheme());
  if (scheme == description.schemes.end()) {
    return Error{ErrorCode::kCapability,
                 file.path(),
                 "",
                 "has names of the scheme '" + file.scheme() + "'",
                 "a scheme that " + description.path + " describes",
                 ""};
  }
  return build(Lookup(description, scheme->second, file, *std::move(architecture)), options);
}

}  // namespace aprx
