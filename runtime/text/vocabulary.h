// The tokens of a model: their texts, types and special roles, checked once and then immutable.
//
// VocabularySource is what a model file says, in plain data that a format reader fills; Vocabulary is
// what is left when that has been checked. Errors name the metadata key at fault in `subject`.
// A Vocabulary is movable, not copyable, and thread-safe once made.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace aprx {

// Values of tokenizer.ggml.token_type.
enum class TokenType : uint8_t {
  kNormal = 1,       // plain text
  kUnknown = 2,      // stands for text that the vocabulary lacks
  kControl = 3,      // structure of a chat; never made from a user's text
  kUserDefined = 4,  // one token wherever its text occurs
  kUnused = 5,       // padding; stands for nothing
  kByte = 6,         // one byte, written <0xNN>
};

// Each field holds the value of the key named beside it, or nothing where the file lacks that key.
// 2^32-1 and -1 as an id mean "none", as converters write it.
struct VocabularySource {
  std::optional<std::string> model;                // tokenizer.ggml.model
  std::optional<std::string> pre;                  // tokenizer.ggml.pre
  std::optional<std::vector<std::string>> tokens;  // tokenizer.ggml.tokens
  std::optional<std::vector<float>> scores;        // tokenizer.ggml.scores
  std::optional<std::vector<int32_t>> types;       // tokenizer.ggml.token_type
  std::optional<std::vector<std::string>> merges;  // tokenizer.ggml.merges
  std::optional<int64_t> bos_id;                   // tokenizer.ggml.bos_token_id
  std::optional<int64_t> eos_id;                   // tokenizer.ggml.eos_token_id
  std::optional<int64_t> eot_id;                   // tokenizer.ggml.eot_token_id
  std::optional<int64_t> eom_id;                   // tokenizer.ggml.eom_token_id
  std::optional<int64_t> unknown_id;               // tokenizer.ggml.unknown_token_id
  std::optional<int64_t> padding_id;               // tokenizer.ggml.padding_token_id
  std::optional<bool> add_bos;                     // tokenizer.ggml.add_bos_token
  std::optional<bool> add_eos;                     // tokenizer.ggml.add_eos_token
  std::optional<bool> add_space_prefix;            // tokenizer.ggml.add_space_prefix
  std::optional<bool> nfc;                         // tokenizer.ggml.normalizer.nfc
};

class Vocabulary {
 public:
  // Takes tokens, types, scores and ids out of `source`; the other fields stay.
  // Errors: kBadFile where keys are missing or contradict each other.
  static Result<Vocabulary> create(VocabularySource& source);

  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;
  ~Vocabulary() = default;

  [[nodiscard]] size_t size() const { return tokens_.size(); }

  // Precondition of all three: 0 <= id < size(); for score() also has_scores().
  [[nodiscard]] std::string_view text(int32_t id) const { return tokens_[static_cast<size_t>(id)]; }
  [[nodiscard]] TokenType type(int32_t id) const { return types_[static_cast<size_t>(id)]; }
  [[nodiscard]] float score(int32_t id) const { return scores_[static_cast<size_t>(id)]; }

  [[nodiscard]] bool has_scores() const { return !scores_.empty(); }
  [[nodiscard]] bool contains(int32_t id) const { return id >= 0 && static_cast<size_t>(id) < size(); }

  // The lowest id with this text, or -1.
  [[nodiscard]] int32_t find(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? -1 : found->second;
  }

  // True for kControl and kUnknown: ids that no user's text may turn into.
  [[nodiscard]] bool is_control(int32_t id) const {
    return type(id) == TokenType::kControl || type(id) == TokenType::kUnknown;
  }

  // True for the end tokens that the file names by id, and for control tokens known to end a turn.
  [[nodiscard]] bool is_end_of_generation(int32_t id) const;

  [[nodiscard]] std::optional<int32_t> bos() const { return bos_; }
  [[nodiscard]] std::optional<int32_t> eos() const { return eos_; }
  [[nodiscard]] std::optional<int32_t> unknown() const { return unknown_; }

 private:
  Vocabulary() = default;

  Result<void> take_tokens(VocabularySource& source);
  Result<void> take_types(const VocabularySource& source);
  Result<void> take_scores(VocabularySource& source);
  Result<void> take_ids(const VocabularySource& source, bool has_types);
  void find_ends();

  std::vector<std::string> tokens_;
  std::vector<TokenType> types_;
  std::vector<float> scores_;
  boost::unordered_flat_map<std::string_view, int32_t> ids_;  // views of tokens_
  std::vector<int32_t> ends_;                                 // ascending
  std::optional<int32_t> bos_;
  std::optional<int32_t> eos_;
  std::optional<int32_t> unknown_;
};

}  // namespace aprx
