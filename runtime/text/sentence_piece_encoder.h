// SentencePiece's BPE: tokenizer.ggml.model "llama".
//
// Spaces are written as U+2581, one more is put before the text, and the neighbours whose union has the
// highest score are merged first. What is no token in the end becomes byte tokens, or the unknown token
// where the vocabulary has no such byte. Thread-safe once made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "runtime/text/fragment_encoder.h"
#include "runtime/text/merge_list.h"

namespace aprx {

class SentencePieceEncoder final : public FragmentEncoder {
 public:
  // `vocabulary` must outlive the encoder; of `source` it reads add_space_prefix and whether types are there.
  // Errors: kBadFile (tokenizer.ggml.scores, .token_type, .tokens).
  static Result<std::unique_ptr<FragmentEncoder>> create(const Vocabulary& vocabulary,
                                                         const VocabularySource& source);

  [[nodiscard]] Result<std::vector<int32_t>> encode(std::string_view fragment) const override;
  [[nodiscard]] std::string bytes(int32_t id) const override;
  [[nodiscard]] bool adds_space() const override { return adds_space_; }
  [[nodiscard]] bool adds_bos() const override { return true; }

 private:
  explicit SentencePieceEncoder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  Result<void> take_tokens();
  [[nodiscard]] std::string with_marked_spaces(std::string_view fragment) const;
  [[nodiscard]] std::vector<std::string_view> words(std::string_view text) const;
  [[nodiscard]] int32_t find_text(std::string_view text) const;
  [[nodiscard]] std::vector<int32_t> fallback(std::string_view character) const;
  [[nodiscard]] std::vector<int32_t> encode_marked(std::string_view text) const;

  const Vocabulary& vocabulary_;
  bool adds_space_ = true;
  bool words_are_apart_ = true;             // no token has a space after anything else
  size_t longest_ = 0;                      // bytes of the longest token that merging can make
  std::array<int32_t, 256> byte_ids_ = {};  // -1: no token
};

}  // namespace aprx
