#include <catch2/catch_test_macros.hpp>

#include "tests/text/small_vocabulary.h"

namespace {

using aprx::TokenType;
using aprx::test::ids_of;
using aprx::test::make_tokenizer;
using aprx::test::sentence_piece;
using Ids = std::vector<int32_t>;

constexpr int32_t kByte0 = 3;     // id of <0x00>
constexpr int32_t kPieces = 259;  // id of the first piece

}  // namespace

TEST_CASE("a space is put before a text, and spaces are U+2581") {
  // 259 ▁, 260 a, 261 ▁a
  const auto tokenizer = make_tokenizer(sentence_piece({{"▁", -1}, {"a", -2}, {"▁a", -3}}));
  CHECK(ids_of(*tokenizer, "a") == Ids{261});
  CHECK(ids_of(*tokenizer, " a") == Ids{259, 261});
  CHECK(ids_of(*tokenizer, "a a") == Ids{261, 261});
  CHECK(ids_of(*tokenizer, "").empty());
}

TEST_CASE("no space is put before a text where the file forbids it") {
  auto source = sentence_piece({{"▁", -1}, {"a", -2}, {"▁a", -3}});
  source.add_space_prefix = false;
  CHECK(ids_of(*make_tokenizer(std::move(source)), "a a") == Ids{260, 261});
}

TEST_CASE("the neighbours of the highest score are merged first, of equals the leftmost") {
  auto source = sentence_piece({{"a", 0}, {"b", 0}, {"c", 0}, {"ab", -5}, {"bc", -4}, {"aa", -6}});
  source.add_space_prefix = false;
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(ids_of(*tokenizer, "abc") == Ids{kPieces, kPieces + 4});
  CHECK(ids_of(*tokenizer, "ab") == Ids{kPieces + 3});
  CHECK(ids_of(*tokenizer, "aaa") == Ids{kPieces + 5, kPieces});
}

TEST_CASE("a token with a space at its end is found too") {
  auto source = sentence_piece({{"▁", -3}, {"a", -2}, {"a▁", -1}});
  source.add_space_prefix = false;
  CHECK(ids_of(*make_tokenizer(std::move(source)), "a a") == Ids{kPieces + 2, kPieces + 1});
}

TEST_CASE("characters without a token become bytes") {
  auto source = sentence_piece({});
  source.add_space_prefix = false;
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(ids_of(*tokenizer, "é") == Ids{kByte0 + 0xC3, kByte0 + 0xA9});
  CHECK(ids_of(*tokenizer, "\xFF") == Ids{kByte0 + 0xEF, kByte0 + 0xBF, kByte0 + 0xBD});
}

TEST_CASE("without byte tokens the unknown token stands in, and without that the file is refused") {
  auto source = sentence_piece({{"a", 0}});
  source.add_space_prefix = false;
  for (int32_t& type : *source.types) {
    if (type == static_cast<int32_t>(TokenType::kByte)) type = static_cast<int32_t>(TokenType::kNormal);
  }
  CHECK(ids_of(*make_tokenizer(source), "aé") == Ids{kPieces, 0});
  source.unknown_id.reset();
  const auto refused = aprx::Tokenizer::create(source);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text() ==
        "tokenizer.ggml.tokens: byte 0x00 has no token, expected a token <0x00>, or "
        "tokenizer.ggml.unknown_token_id");
}

TEST_CASE("a user's text never becomes a control or byte token by its spelling") {
  auto source = sentence_piece({{"<", 0}, {"s", 0}, {">", 0}, {"<s", -1}});
  source.add_space_prefix = false;
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(ids_of(*tokenizer, "<s>") == Ids{kPieces + 3, kPieces + 2});
  CHECK(ids_of(*tokenizer, "<s>", {.parse_special = true}) == Ids{1});
}

TEST_CASE("text after a special token gets its own space") {
  const auto tokenizer = make_tokenizer(sentence_piece({{"▁", -1}, {"a", -2}, {"▁a", -3}}));
  CHECK(ids_of(*tokenizer, "a</s>a", {.parse_special = true}) == Ids{261, 2, 261});
}

TEST_CASE("BOS is added by default on request") {
  const auto tokenizer = make_tokenizer(sentence_piece({{"▁a", -3}, {"▁", -1}, {"a", -2}}));
  CHECK(ids_of(*tokenizer, "a", {.add_special = true}) == Ids{1, kPieces});
}

TEST_CASE("what SentencePiece cannot do without is refused by its key") {
  const auto refusal = [](aprx::VocabularySource source) {
    const auto made = aprx::Tokenizer::create(std::move(source));
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == aprx::ErrorCode::kBadFile);
    return made.error().text();
  };
  auto source = sentence_piece({});
  source.scores.reset();
  CHECK(refusal(source) == "tokenizer.ggml.scores: is missing, expected the scores that model 'llama' needs");
  source = sentence_piece({});
  source.types.reset();
  CHECK(refusal(source) ==
        "tokenizer.ggml.token_type: is missing, expected the types that model 'llama' needs");
  source = sentence_piece({});
  (*source.tokens)[kByte0 + 5] = "<0x5>";
  CHECK(refusal(source) == "tokenizer.ggml.tokens: byte token 8 is '<0x5>', expected <0x00> to <0xFF>");
}
