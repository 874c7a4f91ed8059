#include "core/route/remedy.h"

#include <algorithm>
#include <unordered_map>

#include "core/route/assessment.h"

namespace aprx {

namespace {

// By the assessment that decides on routes: memory and target count as much as kernels.
bool runs(const Graph& graph, const Device& device, const Policy& policy) {
  const auto assessment = assess(graph, std::span(&device, 1), policy);
  return assessment && assessment->is_capable;
}

bool fits_rows(DType dtype, const Tensor& tensor) {
  return tensor.shape.back() % dtype_info(dtype).block_elements == 0;
}

// The dtype of a matrix in build number `nth` of a recipe; vectors are F32 in every recipe.
DType dtype_in(const Recipe& recipe, size_t nth, const Tensor& tensor) {
  if (tensor.kind == APRX_VECTOR) return DType::kF32;
  for (const DType wanted : {recipe.matrices[nth], recipe.narrow[nth]}) {
    if (fits_rows(wanted, tensor)) return wanted;
  }
  return DType::kF16;
}

bool is_eligible(const Graph& graph, const Device& device, const Recipe& recipe, const Policy& policy) {
  for (size_t nth = 0; nth < recipe.matrices.size(); ++nth) {
    const Graph build =
        graph.with_dtypes([&](const Tensor& tensor) { return dtype_in(recipe, nth, tensor); });
    if (!runs(build, device, policy)) return false;
  }
  return !recipe.matrices.empty();
}

double bits_of(DType dtype) {
  const DTypeInfo& info = dtype_info(dtype);
  return 8.0 * static_cast<double>(info.block_bytes) / static_cast<double>(info.block_elements);
}

// The narrowest accepted dtype that is no narrower than the tensor's own, so that little is lost; else
// the widest.
DType nearest_dtype(const Tensor& tensor, const std::vector<std::string>& accepted) {
  DType best = DType::kUnknown;
  const double own = bits_of(tensor.dtype);
  const auto is_better = [&](DType dtype) {
    if (best == DType::kUnknown) return true;
    const bool is_wide = bits_of(dtype) >= own;
    const bool best_is_wide = bits_of(best) >= own;
    if (is_wide != best_is_wide) return is_wide;
    return is_wide ? bits_of(dtype) < bits_of(best) : bits_of(dtype) > bits_of(best);
  };
  for (const std::string& name : accepted) {
    const std::optional<DType> dtype = dtype_named(name);
    if (dtype && fits_rows(*dtype, tensor) && is_better(*dtype)) best = *dtype;
  }
  return best;
}

const Tensor* tensor_named(const Graph& graph, const std::string& name) {
  for (const Tensor& tensor : graph.tensors()) {
    if (tensor.name == name && (tensor.kind == APRX_WEIGHT || tensor.kind == APRX_VECTOR)) return &tensor;
  }
  return nullptr;
}

void note_change(std::vector<Retyping>& changes, const Tensor& tensor, DType dtype) {
  auto change = std::ranges::find(changes, dtype, &Retyping::dtype);
  if (change == changes.end()) change = changes.insert(changes.end(), Retyping{{}, dtype, 0, 0});
  Tensor after = tensor;
  after.dtype = dtype;
  change->tensors.push_back(tensor.name);
  change->bytes_before += tensor_bytes(tensor, 0, 0);
  change->bytes_after += tensor_bytes(after, 0, 0);
}

}  // namespace

std::vector<std::string> eligible_recipes(const Graph& graph, const Device& device,
                                          std::span<const Recipe> recipes, const Policy& policy) {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes) {
    if (is_eligible(graph, device, recipe, policy)) names.push_back(recipe.name);
  }
  return names;
}

std::vector<Retyping> smallest_retyping(const Graph& graph, const Device& device, const Policy& policy) {
  std::vector<Retyping> changes;
  std::unordered_map<std::string, DType> dtype_of;
  for (const Refusal& refusal : place(graph, std::span(&device, 1), policy.tokens_max).refusals) {
    if (refusal.reason != APRX_DTYPE_UNSUPPORTED) return {};
    for (const std::string& name : refusal.tensors) {
      const Tensor* tensor = tensor_named(graph, name);
      const DType dtype = tensor == nullptr ? DType::kUnknown : nearest_dtype(*tensor, refusal.accepted);
      if (dtype == DType::kUnknown) return {};
      if (dtype_of.emplace(name, dtype).second) note_change(changes, *tensor, dtype);
    }
  }
  const Graph changed = graph.with_dtypes([&](const Tensor& tensor) {
    const auto found = dtype_of.find(tensor.name);
    return found == dtype_of.end() ? tensor.dtype : found->second;
  });
  return runs(changed, device, policy) ? changes : std::vector<Retyping>{};
}

}  // namespace aprx
