#include "runtime/check/shapes_gate.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace aprx {

namespace {

// Nothing that is checked depends on the length of the context, so the shortest will do.
constexpr GraphOptions kOptions = {.context = 1, .kv_dtype = DType::kF16};

}  // namespace

ShapesResult check_shapes(const DescriptionSet& descriptions, const ModelFile& file) {
  const FileFacts facts = facts_of(file);
  auto description = descriptions.select(facts);
  if (!description) return {broken(kShapesGate, {description.error()}), {}};
  if (auto known = check_dtypes(facts); !known) {
    return {not_measured(kShapesGate, "types of tensors are not known"), {}};
  }
  auto built = build_graph(**description, facts, kOptions);
  if (!built) return {broken(kShapesGate, {built.error()}), {}};
  const std::string by = std::filesystem::path((*description)->path).filename().string();
  std::string reason =
      fmt::format("{}: {} tensors as {} describes them", *architecture_of(facts), built->bound.size(), by);
  return {held(kShapesGate, std::move(reason)), std::move(*built)};
}

}  // namespace aprx
