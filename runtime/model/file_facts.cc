#include "runtime/model/file_facts.h"

#include <algorithm>

namespace aprx {

namespace {

// Per-layer lists are as long as the model is deep; longer ones are vocabularies.
constexpr uint64_t kItemsMax = 4096;

std::optional<Scalar> scalar_of(const Value& value) {
  switch (value.kind) {
    case ValueKind::kInteger: return Scalar(value.integer);
    case ValueKind::kReal: return Scalar(value.real);
    case ValueKind::kBoolean: return Scalar(value.integer != 0);
    case ValueKind::kText: return Scalar(std::string(value.text));
    default: return std::nullopt;
  }
}

Fact fact_of(const ModelFile& file, size_t entry) {
  const Value& value = file.metadata()[entry].value;
  Fact fact{value.type_name, value.kind == ValueKind::kArray, {}};
  if (!fact.is_array) {
    if (auto scalar = scalar_of(value)) fact.values.push_back(*std::move(scalar));
  } else if (value.count <= kItemsMax && value.item_kind != ValueKind::kText) {
    for (const Value& item : file.items(entry, 0, value.count)) {
      if (auto scalar = scalar_of(item)) fact.values.push_back(*std::move(scalar));
    }
  }
  return fact;
}

}  // namespace

FileFacts facts_of(const ModelFile& file) {
  FileFacts facts(file.path(), file.scheme());
  for (size_t i = 0; i < file.metadata().size(); ++i)
    facts.add_fact(std::string(file.metadata()[i].key), fact_of(file, i));
  for (const FileTensor& tensor : file.tensors()) facts.add_tensor(tensor);
  return facts;
}

void FileFacts::add_tensor(FileTensor tensor) {
  index_.emplace(tensor.name, tensors_.size());
  tensors_.push_back(std::move(tensor));
}

const Fact* FileFacts::find(std::string_view key) const {
  const auto found = facts_.find(key);
  return found == facts_.end() ? nullptr : &found->second;
}

std::optional<size_t> FileFacts::find_tensor(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::string> architecture_of(const FileFacts& file) {
  static constexpr const char* kKey = "general.architecture";
  const auto error = [&](std::string found) {
    return Error{ErrorCode::kBadFile, file.path(), kKey, std::move(found), "the name of an architecture", ""};
  };
  const Fact* fact = file.find(kKey);
  if (fact == nullptr) return error("is missing");
  if (fact->is_array || fact->values.size() != 1 || !std::holds_alternative<std::string>(fact->values[0]))
    return error("has type " + fact->type_name);
  const auto& name = std::get<std::string>(fact->values[0]);
  if (name.empty()) return error("is empty");
  return name;
}

Result<void> check_dtypes(const FileFacts& file) {
  const auto is_bad = [](const FileTensor& tensor) { return tensor.status != DTypeStatus::kKnown; };
  const auto first = std::ranges::find_if(file.tensors(), is_bad);
  if (first == file.tensors().end()) return {};
  const auto more = std::ranges::count_if(file.tensors(), is_bad) - 1;
  std::string found = "has type " + std::to_string(first->file_dtype);
  if (first->status == DTypeStatus::kRetired) {
    found += " (" + first->dtype_name + "), which files no longer use";
  } else {
    found += ", which is not known";
  }
  if (more > 0) found += ", and " + std::to_string(more) + " more tensors are alike";
  std::string known;
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype != DType::kUnknown) known += (known.empty() ? "" : " ") + std::string(info.name);
  }
  return Error{ErrorCode::kCapability, file.path(), first->name, std::move(found), "one of " + known, ""};
}

}  // namespace aprx
