#include "runtime/text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/text/key_error.h"

namespace aprx {

namespace {

constexpr const char* kTokensKey = "tokenizer.ggml.tokens";
constexpr const char* kTypesKey = "tokenizer.ggml.token_type";
constexpr const char* kScoresKey = "tokenizer.ggml.scores";

// Control tokens with these texts end a turn although files often name only one of them by id.
constexpr std::array<std::string_view, 8> kEndTexts = {
    "<|im_end|>", "<|endoftext|>",   "<|eot_id|>",    "<|eom_id|>",
    "<|end|>",    "<|end_of_text|>", "<end_of_turn>", "</s>",
};

Error bad_count(const char* key, size_t items, size_t tokens) {
  return key_error(key, fmt::format("has {} items", items),
                   fmt::format("{}, one for each item of {}", tokens, kTokensKey));
}

// A special id of the file as an id of ours. The unsigned and the signed form of -1 are "none".
Result<std::optional<int32_t>> checked_id(const char* key, std::optional<int64_t> id, size_t tokens) {
  constexpr int64_t kNoneUnsigned = std::numeric_limits<uint32_t>::max();
  if (!id || *id == -1 || *id == kNoneUnsigned) return std::optional<int32_t>();
  if (*id < 0 || static_cast<uint64_t>(*id) >= tokens) {
    return key_error(key, fmt::format("is {}", *id), fmt::format("an id below {}", tokens));
  }
  return std::optional<int32_t>(static_cast<int32_t>(*id));
}

}  // namespace

Result<Vocabulary> Vocabulary::create(VocabularySource& source) {
  Vocabulary made;
  if (auto done = made.take_tokens(source); !done) return done.error();
  if (auto done = made.take_types(source); !done) return done.error();
  if (auto done = made.take_scores(source); !done) return done.error();
  if (auto done = made.take_ids(source, source.types.has_value()); !done) return done.error();
  made.find_ends();
  return made;
}

Result<void> Vocabulary::take_tokens(VocabularySource& source) {
  if (!source.tokens) return key_error(kTokensKey, "is missing", "the list of all tokens");
  if (source.tokens->empty()) return key_error(kTokensKey, "is empty", "at least one token");
  if (source.tokens->size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return key_error(kTokensKey, fmt::format("has {} items", source.tokens->size()), "fewer than 2^31");
  }
  tokens_ = std::move(*source.tokens);
  ids_.reserve(tokens_.size());
  for (size_t id = 0; id < tokens_.size(); ++id) {
    ids_.try_emplace(tokens_[id], static_cast<int32_t>(id));  // of equal texts the first keeps its id
  }
  return {};
}

Result<void> Vocabulary::take_types(const VocabularySource& source) {
  types_.assign(size(), TokenType::kNormal);
  if (!source.types) return {};
  const std::vector<int32_t>& given = *source.types;
  if (given.size() != size()) return bad_count(kTypesKey, given.size(), size());
  for (size_t id = 0; id < given.size(); ++id) {
    const int32_t type = given[id];
    if (type < 0 || type > static_cast<int32_t>(TokenType::kByte)) {
      return key_error(kTypesKey, fmt::format("item {} is {}", id, type), "a type from 1 to 6");
    }
    // Converters write 0, "undefined", for ordinary tokens.
    if (type != 0) types_[id] = static_cast<TokenType>(type);
  }
  return {};
}

Result<void> Vocabulary::take_scores(VocabularySource& source) {
  if (!source.scores) return {};
  if (source.scores->size() != size()) return bad_count(kScoresKey, source.scores->size(), size());
  const auto nan = std::find_if(source.scores->begin(), source.scores->end(),
                                [](float score) { return std::isnan(score); });
  if (nan != source.scores->end()) {
    return key_error(kScoresKey, fmt::format("item {} is not a number", nan - source.scores->begin()),
                     "scores that can be compared");
  }
  scores_ = std::move(*source.scores);
  return {};
}

Result<void> Vocabulary::take_ids(const VocabularySource& source, bool has_types) {
  struct Role {
    const char* key;
    std::optional<int64_t> given;
    bool is_end;
    std::optional<int32_t>* kept;
  };
  const std::array<Role, 6> roles = {{
      {"tokenizer.ggml.bos_token_id", source.bos_id, false, &bos_},
      {"tokenizer.ggml.eos_token_id", source.eos_id, true, &eos_},
      {"tokenizer.ggml.eot_token_id", source.eot_id, true, nullptr},
      {"tokenizer.ggml.eom_token_id", source.eom_id, true, nullptr},
      {"tokenizer.ggml.unknown_token_id", source.unknown_id, false, &unknown_},
      {"tokenizer.ggml.padding_token_id", source.padding_id, false, nullptr},
  }};
  for (const Role& role : roles) {
    const auto id = checked_id(role.key, role.given, size());
    if (!id) return id.error();
    if (!*id) continue;
    if (role.kept != nullptr) *role.kept = *id;
    if (role.is_end) ends_.push_back(**id);
    // Without token types the ids are the only sign that a token is no text.
    if (!has_types) types_[static_cast<size_t>(**id)] = TokenType::kControl;
  }
  return {};
}

void Vocabulary::find_ends() {
  for (const std::string_view text : kEndTexts) {
    const int32_t id = find(text);
    if (id >= 0 && type(id) == TokenType::kControl) ends_.push_back(id);
  }
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
}

bool Vocabulary::is_end_of_generation(int32_t id) const {
  return std::binary_search(ends_.begin(), ends_.end(), id);
}

}  // namespace aprx
