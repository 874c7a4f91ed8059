#include "runtime/check/structure_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace aprx {

namespace {

std::vector<Error> bytes_not_there(const ModelFile& file) {
  std::vector<Error> findings;
  for (const FileTensor& tensor : file.tensors()) {
    if (auto data = file.data(tensor); !data) findings.push_back(data.error());
  }
  return findings;
}

std::string what_there_is(const ModelFile& file) {
  std::set<std::string> types;
  for (const FileTensor& tensor : file.tensors()) types.insert(tensor.dtype_name);
  std::string names;
  for (const std::string& name : types) names += (names.empty() ? "" : " ") + name;
  const size_t files = file.paths().size();
  return fmt::format("{} tensors inside {}, none overlap{}", file.tensors().size(),
                     files == 1 ? "the file" : fmt::format("{} files", files),
                     names.empty() ? "" : "; types " + names);
}

}  // namespace

std::vector<Error> overlaps(const std::string& path, std::span<const FileTensor> tensors) {
  std::vector<const FileTensor*> order;
  for (const FileTensor& tensor : tensors) {
    if (tensor.size > 0) order.push_back(&tensor);
  }
  std::ranges::stable_sort(order, {},
                           [](const FileTensor* tensor) { return std::pair(tensor->file, tensor->offset); });
  std::vector<Error> findings;
  const FileTensor* furthest = nullptr;  // of those so far, the one that ends last
  for (const FileTensor* tensor : order) {
    const bool is_same_file = furthest != nullptr && furthest->file == tensor->file;
    if (is_same_file && tensor->offset < furthest->offset + furthest->size) {
      findings.push_back(
          {.code = ErrorCode::kBadFile,
           .file = path,
           .subject = "tensor " + tensor->name,
           .found = fmt::format("its data from byte {} on overlaps that of tensor {}", tensor->offset,
                                furthest->name),
           .expected = fmt::format("data from byte {} on", furthest->offset + furthest->size)});
    }
    const bool ends_last = !is_same_file || tensor->offset + tensor->size > furthest->offset + furthest->size;
    if (ends_last) furthest = tensor;
  }
  return findings;
}

std::vector<Error> types_not_known(const std::string& path, std::span<const FileTensor> tensors) {
  std::map<uint32_t, std::vector<const FileTensor*>> by_type;
  for (const FileTensor& tensor : tensors) {
    if (tensor.status != DTypeStatus::kKnown) by_type[tensor.file_dtype].push_back(&tensor);
  }
  std::vector<Error> findings;
  for (const auto& [type, alike] : by_type) {
    const FileTensor& first = *alike.front();
    std::string found =
        first.status == DTypeStatus::kRetired
            ? fmt::format("has type {} ({}), which files no longer use", type, first.dtype_name)
            : fmt::format("has type {}, which is not known", type);
    if (alike.size() > 1) found += fmt::format(", and so have {} more tensors", alike.size() - 1);
    findings.push_back({.code = ErrorCode::kCapability,
                        .file = path,
                        .subject = "tensor " + first.name,
                        .found = std::move(found),
                        .expected = "a type that this version of aprx knows",
                        .hint = first.status == DTypeStatus::kRetired
                                    ? "convert the model again with a current converter"
                                    : "a newer version of aprx may know it"});
  }
  return findings;
}

Gate check_structure(const ModelFile& file) {
  std::vector<Error> findings = bytes_not_there(file);
  std::ranges::move(overlaps(file.path(), file.tensors()), std::back_inserter(findings));
  std::ranges::move(types_not_known(file.path(), file.tensors()), std::back_inserter(findings));
  return findings.empty() ? held(kStructureGate, what_there_is(file))
                          : broken(kStructureGate, std::move(findings));
}

}  // namespace aprx
