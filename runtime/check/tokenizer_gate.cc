#include "runtime/check/tokenizer_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/utf8.h"
#include "runtime/check/token_trips.h"
#include "runtime/session/model.h"
#include "runtime/template/chat_template.h"

namespace aprx {

namespace {

constexpr const char* kTokensKey = "tokenizer.ggml.tokens";
constexpr const char* kTypesKey = "tokenizer.ggml.token_type";
constexpr std::string_view kTemplateKey = "tokenizer.chat_template";

// Tokens with one fault: how many, and the first.
struct Faults {
  size_t count = 0;
  int32_t first = -1;

  void add(int32_t id) {
    if (count++ == 0) first = id;
  }
};

// One type a token; converters write 0 for ordinary tokens. The tokenizer has checked count and range.
std::vector<TokenType> types_of(const ModelFile& file, const Tokenizer& tokenizer) {
  std::vector<TokenType> types(tokenizer.size(), TokenType::kNormal);
  if (file.find(kTypesKey) == nullptr) {
    for (size_t id = 0; id < types.size(); ++id) {
      if (tokenizer.is_control(static_cast<int32_t>(id))) types[id] = TokenType::kControl;
    }
    return types;
  }
  const auto numbers = file.integers(kTypesKey);
  for (size_t id = 0; numbers && id < types.size(); ++id) {
    if ((*numbers)[id] != 0) types[id] = static_cast<TokenType>((*numbers)[id]);
  }
  return types;
}

bool has_tokenizer(const ModelFile& file) {
  return std::ranges::any_of(file.metadata(),
                             [](const MetadataEntry& entry) { return entry.key.starts_with("tokenizer."); });
}

class TokenizerCheck {
 public:
  TokenizerCheck(const ModelFile& file, const Graph* graph, const CheckContext& context)
      : file_(file), graph_(graph), context_(context) {}

  Gate run() {
    if (!has_tokenizer(file_)) return not_measured(kTokenizerGate, "the file has no tokenizer");
    auto tokenizer = tokenizer_of(file_);
    if (tokenizer) {
      check_special_ids(**tokenizer);
      check_spellings(**tokenizer);
      check_size(**tokenizer);
      check_trips(**tokenizer);
    } else {
      findings_.push_back(tokenizer.error());
    }
    for (const MetadataEntry& entry : file_.metadata()) check_template(entry);
    return result(tokenizer ? (*tokenizer)->size() : 0);
  }

 private:
  void add(std::string subject, std::string found, std::string expected) {
    findings_.push_back({.code = ErrorCode::kBadFile,
                         .file = file_.path(),
                         .subject = std::move(subject),
                         .found = std::move(found),
                         .expected = std::move(expected)});
  }

  // -1 and its unsigned form stand for "none".
  void check_special_ids(const Tokenizer& tokenizer) {
    for (const auto& [key, value] : file_.metadata()) {
      if (!key.starts_with("tokenizer.") || !key.ends_with("_token_id")) continue;
      const bool is_none =
          value.integer == -1 || value.integer == int64_t{std::numeric_limits<uint32_t>::max()};
      const bool is_within = value.integer >= 0 && std::cmp_less(value.integer, tokenizer.size());
      if (value.kind == ValueKind::kInteger && (is_none || is_within)) continue;
      add(std::string(key),
          value.kind == ValueKind::kInteger ? fmt::format("is {}", value.integer)
                                            : "its type is " + value.type_name,
          fmt::format("an id below {}", tokenizer.size()));
    }
  }

  void check_spellings(const Tokenizer& tokenizer) {
    types_ = types_of(file_, tokenizer);
    std::unordered_map<std::string_view, int32_t> seen;
    seen.reserve(types_.size());
    Faults empty;
    Faults not_utf8;
    Faults twice;
    for (size_t i = 0; i < types_.size(); ++i) {
      const auto id = static_cast<int32_t>(i);
      const std::string_view text = tokenizer.text(id);
      if (text.empty()) {
        empty.add(id);
      } else if (!is_valid_utf8(text)) {
        not_utf8.add(id);
      } else if (!seen.emplace(text, id).second) {
        twice.add(id);
      }
    }
    add_fault(empty, "{} with an empty text, the first {}", "tokens that stand for something");
    add_fault(not_utf8, "{} not in UTF-8, the first {}", "texts in UTF-8");
    add_fault(twice, "{} with the text of an earlier one, the first {}", "each text once");
  }

  void add_fault(const Faults& faults, fmt::string_view form, const char* expected) {
    if (faults.count == 0) return;
    const std::string items = faults.count == 1 ? "1 item" : std::to_string(faults.count) + " items";
    add(kTokensKey, fmt::format(fmt::runtime(form), items, faults.first), expected);
  }

  void check_size(const Tokenizer& tokenizer) {
    if (graph_ == nullptr) return;
    if (auto ok = check_vocabulary(tokenizer, *graph_, file_.path()); !ok) findings_.push_back(ok.error());
  }

  void check_trips(const Tokenizer& tokenizer) {
    trips_ = token_trips(tokenizer, types_, context_);
    if (trips_.lost == 0) return;
    add(kTokensKey,
        fmt::format("{} of {} tokens become another text when encoded and decoded, the first {} '{}'",
                    trips_.lost, tokenizer.size(), trips_.first_lost, tokenizer.text(trips_.first_lost)),
        "the same text");
  }

  // tokenizer.chat_template, and tokenizer.chat_template.NAME of models that have several.
  void check_template(const MetadataEntry& entry) {
    const bool is_template =
        entry.key == kTemplateKey || entry.key.starts_with(std::string(kTemplateKey) + ".");
    if (!is_template) return;
    if (entry.value.kind != ValueKind::kText) {
      add(std::string(entry.key), "its type is " + entry.value.type_name, "a string");
      return;
    }
    ++templates_;
    auto parsed = ChatTemplate::parse(std::string(entry.value.text), std::string(entry.key));
    if (parsed) return;
    parsed.error().file = file_.path();
    findings_.push_back(parsed.error());
  }

  Gate result(size_t tokens) {
    if (!findings_.empty()) return broken(kTokenizerGate, std::move(findings_));
    if (context_.cancelled) return not_measured(kTokenizerGate, kInterruptedReason);
    const std::string trips = fmt::format("{} tokens, {} come back from encoding", tokens, trips_.came_back);
    if (graph_ == nullptr) {
      return not_measured(kTokenizerGate,
                          trips + "; without shapes, no embedding to compare their number with");
    }
    if (trips_.came_back == 0) return not_measured(kTokenizerGate, trips);
    const char* templates = templates_ == 0 ? "no chat template" : "the chat template parses";
    return held(kTokenizerGate, fmt::format("{}; {}", trips, templates));
  }

  const ModelFile& file_;
  const Graph* graph_;
  const CheckContext& context_;
  std::vector<TokenType> types_;
  std::vector<Error> findings_;
  TokenTrips trips_;
  size_t templates_ = 0;
};

}  // namespace

Gate check_tokenizer(const ModelFile& file, const Graph* graph, const CheckContext& context) {
  return TokenizerCheck(file, graph, context).run();
}

}  // namespace aprx
