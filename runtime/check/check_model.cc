#include "runtime/check/check_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/check/shapes_gate.h"
#include "runtime/check/structure_gate.h"
#include "runtime/check/sum_gate.h"
#include "runtime/check/tokenizer_gate.h"
#include "runtime/check/values_gate.h"

namespace aprx {

namespace {

// The gates of a file that no format plugin can read.
std::vector<Gate> unreadable(Gate sums, const Error& error) {
  const bool is_damaged = error.code == ErrorCode::kBadFile;
  const std::string reason =
      is_damaged ? "the structure of the file can't be read" : "the file was not opened";
  return {std::move(sums),
          is_damaged ? broken(kStructureGate, {error}) : not_measured(kStructureGate, reason),
          not_measured(kShapesGate, reason), not_measured(kValuesGate, reason),
          not_measured(kTokenizerGate, reason)};
}

Error sum_for_several(const std::string& path, size_t files) {
  return {.code = ErrorCode::kUsage,
          .file = path,
          .subject = "--sha256",
          .found = "given for a model of " + std::to_string(files) + " files",
          .expected = "a model of one file",
          .hint = "put the sums of all its files into SHA256SUMS beside them"};
}

void look_inside(ModelCheck& check, const DescriptionSet& descriptions, const ModelFile& file,
                 const CheckContext& context) {
  check.warnings.assign(file.warnings().begin(), file.warnings().end());
  check.gates.push_back(check_structure(file));
  ShapesResult shapes = check_shapes(descriptions, file);
  if (shapes.built) std::ranges::move(shapes.built->warnings, std::back_inserter(check.warnings));
  check.gates.push_back(std::move(shapes.gate));
  check.gates.push_back(check_values(file, context));
  check.gates.push_back(check_tokenizer(file, shapes.built ? &shapes.built->graph : nullptr, context));
}

}  // namespace

ModelCheck check_model(PluginRegistry& registry, const DescriptionSet& descriptions, const std::string& path,
                       const std::string& sha256, const CheckContext& context) {
  ModelCheck check;
  auto file = registry.open_model(path);
  check.files = file ? (*file)->paths() : std::vector{path};
  if (file && !sha256.empty() && check.files.size() > 1) {
    check.error = sum_for_several(path, check.files.size());
    check.gates = unreadable(not_measured(kSumGate, "one sum was given for several files"), *check.error);
    return check;
  }
  Gate sums = check_sums(check.files, sha256, context);
  if (file) {
    check.gates.push_back(std::move(sums));
    look_inside(check, descriptions, **file, context);
  } else {
    check.error = file.error();
    check.gates = unreadable(std::move(sums), file.error());
  }
  if (context.cancelled)
    check.error = Error{.code = ErrorCode::kInterrupted, .file = path, .found = "interrupted"};
  return check;
}

std::optional<ErrorCode> verdict(const ModelCheck& check) {
  if (check.error) return check.error->code;
  bool lacks = false;
  bool is_unchecked = false;
  for (const Gate& gate : check.gates) {
    for (const Error& finding : gate.findings) {
      if (finding.code != ErrorCode::kCapability) return ErrorCode::kCheckFailed;
      lacks = true;
    }
    is_unchecked = is_unchecked || (gate.outcome == Outcome::kNotMeasured && gate.is_asked_for);
  }
  if (lacks) return ErrorCode::kCapability;
  return is_unchecked ? std::optional(ErrorCode::kUnchecked) : std::nullopt;
}

}  // namespace aprx
