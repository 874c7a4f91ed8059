// Vocabularies small enough to check by hand, for tests.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/text/byte_alphabet.h"
#include "runtime/text/tokenizer.h"

namespace aprx::test {

struct Extra {
  std::string text;
  TokenType type;
};

// Byte-level BPE: ids 0 to 255 are the bytes in order, then the wholes of `merges`, then `extras`.
inline VocabularySource byte_level(std::string pre, std::vector<std::string> merges,
                                   std::vector<Extra> extras = {}) {
  VocabularySource source;
  source.model = "gpt2";
  source.pre = std::move(pre);
  const auto& bytes = byte_characters();
  source.tokens.emplace(bytes.begin(), bytes.end());
  for (const std::string& merge : merges) {
    const size_t space = merge.find(' ', 1);
    source.tokens->push_back(merge.substr(0, space) + merge.substr(space + 1));
  }
  source.types.emplace(source.tokens->size(), static_cast<int32_t>(TokenType::kNormal));
  for (Extra& extra : extras) {
    source.tokens->push_back(std::move(extra.text));
    source.types->push_back(static_cast<int32_t>(extra.type));
  }
  source.merges = std::move(merges);
  return source;
}

struct Piece {
  std::string text;
  float score;
};

// SentencePiece: <unk> 0, <s> 1, </s> 2, bytes 3 to 258, then `pieces`, then `extras`.
inline VocabularySource sentence_piece(const std::vector<Piece>& pieces,
                                       const std::vector<Extra>& extras = {}) {
  VocabularySource source;
  source.model = "llama";
  source.tokens.emplace();
  source.scores.emplace();
  source.types.emplace();
  const auto add = [&source](std::string text, float score, TokenType type) {
    source.tokens->push_back(std::move(text));
    source.scores->push_back(score);
    source.types->push_back(static_cast<int32_t>(type));
  };
  add("<unk>", 0, TokenType::kUnknown);
  add("<s>", 0, TokenType::kControl);
  add("</s>", 0, TokenType::kControl);
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (size_t byte = 0; byte < 256; ++byte) {
    add(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">", 0, TokenType::kByte);
  }
  for (const Piece& piece : pieces) add(piece.text, piece.score, TokenType::kNormal);
  for (const Extra& extra : extras) add(extra.text, 0, extra.type);
  source.bos_id = 1;
  source.eos_id = 2;
  source.unknown_id = 0;
  return source;
}

inline std::unique_ptr<Tokenizer> make_tokenizer(VocabularySource source) {
  auto made = Tokenizer::create(std::move(source));
  if (!made) FAIL(made.error().text());
  return std::move(*made);
}

inline std::vector<int32_t> ids_of(const Tokenizer& tokenizer, std::string_view text,
                                   const EncodeOptions& options = {}) {
  auto ids = tokenizer.encode(text, options);
  if (!ids) FAIL(ids.error().text());
  return std::move(*ids);
}

}  // namespace aprx::test
