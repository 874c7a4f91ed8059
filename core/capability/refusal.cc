#include "core/capability/refusal.h"

#include <algorithm>
#include <iterator>

namespace aprx {

namespace {

struct Reason {
  const char* word;
  const char* text;
};

// Indexed by the reason's number.
constexpr Reason kReasons[] = {
    {"supported", "supported"},
    {"dtype_unknown", "the file's tensor type is not known"},
    {"dtype_unsupported", "no kernel for this tensor type"},
    {"shape_unsupported", "no kernel for this shape"},
    {"layout_unsupported", "no kernel for this memory layout"},
    {"attribute_unsupported", "no kernel for this variant"},
    {"operator_unsupported", "no kernel for this operator"},
    {"architecture_unknown", "no description of this architecture"},
    {"memory_insufficient", "not enough memory"},
    {"isa_missing", "the processor lacks the instructions"},
    {"device_too_old", "the device is too old"},
    {"driver_missing", "no driver"},
    {"device_absent", "no such device"},
    {"device_lost", "the device was lost"},
    {"excluded_by_user", "excluded by an option"},
    {"plugin_fault", "the plugin failed"},
    {"plugin_untrusted", "the plugin is not trusted"},
};
static_assert(std::size(kReasons) == APRX_REASON_COUNT);

const Reason& row_of(aprx_reason reason) {
  return kReasons[reason < APRX_REASON_COUNT ? reason : APRX_PLUGIN_FAULT];
}

bool is_digits(const std::string& part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) {
    if (is_digits(part)) part = "*";
  }
  return parts;
}

// "ssm_{alpha,beta}" of words with a common beginning.
std::string braced(std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.size() == 1) return words.front();
  size_t same = 0;
  while (same < words.front().size() &&
         std::ranges::all_of(
             words, [&](const std::string& w) { return same < w.size() && w[same] == words[0][same]; })) {
    ++same;
  }
  std::string out = words.front().substr(0, same) + "{";
  for (size_t i = 0; i < words.size(); ++i) out += (i > 0 ? "," : "") + words[i].substr(same);
  return out + "}";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string tensors_text(const Refusal& refusal) {
  std::string out = refusal.tensors.front();
  if (refusal.dtype != DType::kUnknown) out += " is " + std::string(dtype_name(refusal.dtype));
  if (refusal.tensors.size() == 1) return out;
  out += ", and " + std::to_string(refusal.tensors.size() - 1) + " more";
  const std::string pattern = common_pattern(refusal.tensors);
  return pattern.empty() ? out : out + " like " + pattern;
}

}  // namespace

const char* reason_word(aprx_reason reason) { return row_of(reason).word; }

const char* reason_text(aprx_reason reason) { return row_of(reason).text; }

std::string common_pattern(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> split;
  for (const std::string& name : names) split.push_back(parts_of(name));
  std::string out;
  int differing = 0;
  for (size_t i = 0; i < split.front().size(); ++i) {
    std::vector<std::string> column;
    for (const auto& parts : split) {
      if (parts.size() != split.front().size()) return "";
      column.push_back(parts[i]);
    }
    const std::string part = braced(column);
    if (part != column.front()) ++differing;
    out += (i > 0 ? "." : "") + part;
  }
  return differing <= 1 ? out : "";
}

std::string refusal_text(const Refusal& refusal) {
  std::string out;
  if (refusal.op != Op::kNone) out += std::string(op_name(refusal.op)) + ": ";
  out += row_of(refusal.reason).text;
  if (!refusal.tensors.empty()) out += ": " + tensors_text(refusal);
  if (!refusal.detail.empty()) out += " (" + refusal.detail + ")";
  if (!refusal.accepted.empty()) out += "; " + refusal.device + " takes " + joined(refusal.accepted);
  return out;
}

}  // namespace aprx
