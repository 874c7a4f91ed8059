#include "app/inspection.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/format.h"
#include "core/graph/graph.h"

namespace aprx::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kItemsShown = 8;
constexpr size_t kTextShown = 200;

std::string printable_text(std::string_view text) { return printable(std::string(text)); }

Json scalar_json(const Value& value) {
  switch (value.kind) {
    case ValueKind::kInteger: return value.integer;
    case ValueKind::kUnsigned: return value.unsigned_integer;
    case ValueKind::kReal: return value.real;
    case ValueKind::kBoolean: return value.integer != 0;
    case ValueKind::kText: return printable_text(value.text);
    case ValueKind::kArray:
    case ValueKind::kNone: break;
  }
  return nullptr;
}

Json entry_json(const ModelFile& file, size_t index, bool is_whole) {
  const MetadataEntry& entry = file.metadata()[index];
  const Value& value = entry.value;
  Json out = {{"key", printable_text(entry.key)}, {"type", value.type_name}};
  if (value.kind != ValueKind::kArray) {
    out["value"] = scalar_json(value);
    return out;
  }
  out["count"] = value.count;
  Json items = Json::array();
  for (const Value& item :
       file.items(index, 0, is_whole ? value.count : std::min(value.count, kItemsShown))) {
    items.push_back(scalar_json(item));
  }
  out["items"] = std::move(items);
  return out;
}

Json metadata_json(const ModelFile& file, const std::string& key) {
  Json out = Json::array();
  for (size_t i = 0; i < file.metadata().size(); ++i) {
    if (key.empty() || file.metadata()[i].key == key) out.push_back(entry_json(file, i, !key.empty()));
  }
  return out;
}

uint64_t elements_of(const FileTensor& tensor) {
  uint64_t n = 1;
  for (const int64_t axis : tensor.shape) n *= static_cast<uint64_t>(axis);
  return n;
}

Json histogram_json(const ModelFile& file) {
  struct Sum {
    uint64_t tensors = 0;
    uint64_t bytes = 0;
    uint64_t parameters = 0;
  };
  std::map<std::string, Sum> sums;
  uint64_t total = 0;
  for (const FileTensor& tensor : file.tensors()) {
    Sum& sum = sums[tensor.dtype_name];
    ++sum.tensors;
    sum.bytes += tensor.size;
    sum.parameters += elements_of(tensor);
    total += tensor.size;
  }
  std::vector<std::pair<std::string, Sum>> rows(sums.begin(), sums.end());
  std::ranges::stable_sort(rows,
                           [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  Json out = Json::array();
  for (const auto& [name, sum] : rows) {
    const double share = total == 0 ? 0 : static_cast<double>(sum.bytes) / static_cast<double>(total);
    out.push_back({{"dtype", name},
                   {"tensors", sum.tensors},
                   {"bytes", sum.bytes},
                   {"share_of_bytes", share},
                   {"parameters", sum.parameters}});
  }
  return out;
}

// The quantization that a file's name speaks of: its part of the form Q4_K_M, IQ2_XXS, BF16, UD-Q4_K_XL …
std::string claim_of_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  std::string best;
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype == DType::kUnknown || info.dtype == DType::kI8) continue;
    const size_t at = name.find(info.name);
    if (at == std::string::npos || (at > 0 && std::isalnum(static_cast<unsigned char>(name[at - 1])) != 0))
      continue;
    const size_t end = name.find_first_of("-.", at);
    const std::string claim = name.substr(at, end == std::string::npos ? std::string::npos : end - at);
    if (claim.size() > best.size()) best = claim;
  }
  return best;
}

Json claims_json(const ModelFile& file, const Json& histogram) {
  const std::string by_name = claim_of_name(file.path());
  const std::string most = histogram.empty() ? "" : histogram[0]["dtype"].get<std::string>();
  Json out = {{"file_name", by_name.empty() ? Json(nullptr) : Json(printable(by_name))},
              {"metadata", file.claim().empty() ? Json(nullptr) : Json(file.claim())},
              {"most_bytes_are", most}};
  const auto differs = [&](const std::string& claim) {
    return !claim.empty() && !most.empty() && !claim.starts_with(most);
  };
  out["name_differs_from_content"] = differs(by_name);
  out["metadata_differs_from_content"] = differs(file.claim());
  return out;
}

Json special_tokens_json(const ModelFile& file) {
  Json out = Json::object();
  const Value* tokens = file.find("tokenizer.ggml.tokens");
  for (size_t i = 0; i < file.metadata().size(); ++i) {
    const MetadataEntry& entry = file.metadata()[i];
    if (!entry.key.starts_with("tokenizer.") || !entry.key.ends_with("_token_id")) continue;
    if (entry.value.kind != ValueKind::kInteger || tokens == nullptr) continue;
    Json token = {{"id", entry.value.integer}, {"text", nullptr}};
    if (entry.value.integer >= 0 && static_cast<uint64_t>(entry.value.integer) < tokens->count) {
      const auto index = static_cast<size_t>(
          std::ranges::find(file.metadata(), std::string_view("tokenizer.ggml.tokens"), &MetadataEntry::key) -
          file.metadata().begin());
      token["text"] = scalar_json(file.items(index, static_cast<uint64_t>(entry.value.integer), 1).at(0));
    }
    out[printable_text(entry.key)] = std::move(token);
  }
  return out;
}

Json tensor_json(const FileTensor& tensor) {
  return {{"name", printable(tensor.name)},
          {"dtype", tensor.dtype_name},
          {"known", tensor.status == DTypeStatus::kKnown},
          {"file_dtype", tensor.file_dtype},
          {"shape", tensor.shape},
          {"bytes", tensor.size},
          {"file", tensor.file},
          {"offset", tensor.offset}};
}

std::string value_text(const Json& entry) {
  if (!entry.contains("items")) {
    std::string text = entry["value"].is_string() ? entry["value"].get<std::string>() : entry["value"].dump();
    if (text.size() <= kTextShown) return text;
    return fmt::format("{}… ({} bytes)", text.substr(0, kTextShown), text.size());
  }
  std::string text;
  for (const Json& item : entry["items"]) {
    text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : item.dump());
  }
  const uint64_t count = entry["count"].get<uint64_t>();
  return fmt::format("[{}{}]", text,
                     count > entry["items"].size() ? fmt::format(", … {} in all", count) : "");
}

std::string claims_text(const Json& claims) {
  std::string out;
  const auto line = [&](const char* who, const Json& claim, bool differs) {
    if (claim.is_null()) return;
    out += fmt::format("{:<14}{}{}\n", who, claim.get<std::string>(),
                       differs ? ", but most bytes are " + claims["most_bytes_are"].get<std::string>() : "");
  };
  line("file name:", claims["file_name"], claims["name_differs_from_content"].get<bool>());
  line("metadata:", claims["metadata"], claims["metadata_differs_from_content"].get<bool>());
  return out;
}

}  // namespace

Json inspect_summary(const ModelFile& file) {
  Json histogram = histogram_json(file);
  uint64_t parameters = 0;
  uint64_t bytes = 0;
  for (const FileTensor& tensor : file.tensors()) {
    parameters += elements_of(tensor);
    bytes += tensor.size;
  }
  Json paths = Json::array();
  for (const std::string& path : file.paths()) paths.push_back(printable(path));
  Json out = {{"files", std::move(paths)},
              {"format", file.version_text()},
              {"tensor_count", file.tensors().size()},
              {"parameters", parameters},
              {"tensor_bytes", bytes}};
  out["claims"] = claims_json(file, histogram);
  out["dtypes"] = std::move(histogram);
  out["warnings"] = Json::array();
  for (const std::string& warning : file.warnings()) out["warnings"].push_back(warning);
  return out;
}

Json inspect(const ModelFile& file, const std::string& tensors, const std::string& key) {
  Json out = inspect_summary(file);
  out["special_tokens"] = special_tokens_json(file);
  out["has_chat_template"] = file.find("tokenizer.chat_template") != nullptr;
  out["metadata"] = metadata_json(file, key);
  if (tensors.empty()) return out;
  out["tensors"] = Json::array();
  for (const FileTensor& tensor : file.tensors()) {
    if (::fnmatch(tensors.c_str(), tensor.name.c_str(), 0) == 0)
      out["tensors"].push_back(tensor_json(tensor));
  }
  return out;
}

std::string summary_text(const Json& summary) {
  std::string out;
  for (const Json& path : summary["files"]) out += path.get<std::string>() + "\n";
  out += fmt::format("{}, {} tensors, {} parameters, {}\n", summary["format"].get<std::string>(),
                     summary["tensor_count"].get<uint64_t>(), summary["parameters"].get<uint64_t>(),
                     bytes_text(summary["tensor_bytes"].get<uint64_t>()));
  out += claims_text(summary["claims"]);
  for (const Json& warning : summary["warnings"]) out += "warning: " + warning.get<std::string>() + "\n";
  out += "\ndtype                 tensors        bytes   share\n";
  for (const Json& row : summary["dtypes"]) {
    out += fmt::format("{:<22}{:>7} {:>12}  {:>5.1f}%\n", row["dtype"].get<std::string>(),
                       row["tensors"].get<uint64_t>(), bytes_text(row["bytes"].get<uint64_t>()),
                       100 * row["share_of_bytes"].get<double>());
  }
  return out;
}

std::string inspection_text(const Json& inspection) {
  std::string out = summary_text(inspection);
  out += "\n";
  for (const Json& entry : inspection["metadata"]) {
    out += fmt::format("{} ({}) = {}\n", entry["key"].get<std::string>(), entry["type"].get<std::string>(),
                       value_text(entry));
  }
  for (const auto& [key, token] : inspection["special_tokens"].items()) {
    if (token["text"].is_null()) continue;
    out += fmt::format("{}: {}\n", key, token["text"].get<std::string>());
  }
  if (!inspection.contains("tensors")) return out;
  out += "\n";
  for (const Json& tensor : inspection["tensors"]) {
    out += fmt::format(
        "{:<40} {:<10} {} {}\n", tensor["name"].get<std::string>(), tensor["dtype"].get<std::string>(),
        shape_text(tensor["shape"].get<std::vector<int64_t>>()), bytes_text(tensor["bytes"].get<uint64_t>()));
  }
  return out;
}

}  // namespace aprx::app
