#include "runtime/model/binder.h"

namespace aprx {

Error Binder::missing(const std::string& role, LayerIndex layer) const {
  Error error{ErrorCode::kBadFile, lookup_.file().path(), lookup_.name_of(role, layer), "is missing", "", ""};
  if (layer) error.hint = "layers are counted by " + sources_text(layers_);
  return error;
}

Result<size_t> Binder::proven(const std::string& role, LayerIndex layer) const {
  const std::optional<size_t> index = lookup_.tensor(role, layer);
  if (!index) return missing(role, layer);
  const FileTensor& tensor = lookup_.file().tensors()[*index];
  std::vector<int64_t> expected;
  std::vector<Source> sources;
  std::string formula;
  for (const Expression& axis : lookup_.description().tensors.find(role)->second.shape) {
    auto value = lookup_.integer(axis, layer);
    if (!value) return value.error();
    expected.push_back(std::get<int64_t>(*value->value));
    formula += (formula.empty() ? "" : ", ") + axis.text;
    sources.insert(sources.end(), value->sources.begin(), value->sources.end());
  }
  if (tensor.shape == expected) return *index;
  return Error{ErrorCode::kBadFile,
               lookup_.file().path(),
               tensor.name,
               "shape " + shape_text(tensor.shape),
               "[" + formula + "] = " + shape_text(expected) + " by " + sources_text(sources),
               ""};
}

Result<void> Binder::claim(const std::string& role, LayerIndex layer) {
  const auto index = proven(role, layer);
  if (!index) return index.error();
  claimed_.insert(*index);
  return {};
}

Result<TensorId> Binder::bind(Graph& graph, const std::string& role, LayerIndex layer, OperandKind kind) {
  const auto index = proven(role, layer);
  if (!index) return index.error();
  claimed_.insert(*index);
  // A tensor that two operators use, such as a tied head, is one tensor of the graph.
  const auto known = by_file_tensor_.find(*index);
  if (known != by_file_tensor_.end()) return known->second;
  const FileTensor& tensor = lookup_.file().tensors()[*index];
  const TensorId id = graph.add_weight(tensor.name, tensor.dtype, tensor.shape,
                                       kind == OperandKind::kWeight ? APRX_WEIGHT : APRX_VECTOR);
  by_file_tensor_.emplace(*index, id);
  bound_.push_back({id, *index});
  return id;
}

}  // namespace aprx
