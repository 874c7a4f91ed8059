#include <catch2/catch_test_macros.hpp>

#include "tests/text/small_vocabulary.h"

namespace {

using aprx::EncodeOptions;
using aprx::TokenType;
using aprx::test::byte_level;
using aprx::test::ids_of;
using aprx::test::make_tokenizer;
using Ids = std::vector<int32_t>;

constexpr EncodeOptions kTemplate = {.parse_special = true};
constexpr EncodeOptions kNothing = {.parse_special = false, .parse_added = false};

std::unique_ptr<aprx::Tokenizer> with_specials() {
  return make_tokenizer(byte_level("qwen35", {},
                                   {{"<|a|>", TokenType::kControl},     // 256
                                    {"<t>", TokenType::kUserDefined},   // 257
                                    {"<t>x", TokenType::kUserDefined},  // 258
                                    {"<|a|>!", TokenType::kControl},    // 259
                                    {"[PAD]", TokenType::kUnused},      // 260
                                    {"<t>", TokenType::kUserDefined},   // 261, a duplicate
                                    {"", TokenType::kControl},          // 262
                                    {"<u>", TokenType::kUnknown}}));    // 263
}

}  // namespace

TEST_CASE("a user's text gives user-defined tokens but no control tokens") {
  const auto tokenizer = with_specials();
  CHECK(ids_of(*tokenizer, "<t>") == Ids{257});
  CHECK(ids_of(*tokenizer, "<|a|>") == Ids{'<', '|', 'a', '|', '>'});
  CHECK(ids_of(*tokenizer, "<u>") == Ids{'<', 'u', '>'});
}

TEST_CASE("a template's text gives control tokens too") {
  const auto tokenizer = with_specials();
  CHECK(ids_of(*tokenizer, "<|a|>b<t>", kTemplate) == Ids{256, 'b', 257});
  CHECK(ids_of(*tokenizer, "<u>", kTemplate) == Ids{263});
}

TEST_CASE("without added tokens nothing is looked for") {
  const auto tokenizer = with_specials();
  CHECK(ids_of(*tokenizer, "<t>", kNothing) == Ids{'<', 't', '>'});
}

TEST_CASE("the longest special token wins, and the kinds that are off do not count") {
  const auto tokenizer = with_specials();
  CHECK(ids_of(*tokenizer, "<t>x") == Ids{258});
  CHECK(ids_of(*tokenizer, "<t><t>x") == Ids{257, 258});
  CHECK(ids_of(*tokenizer, "<|a|>!", kTemplate) == Ids{259});
  CHECK(ids_of(*tokenizer, "<|a|>?", kTemplate) == Ids{256, '?'});
}

TEST_CASE("near misses and cut tokens are plain text") {
  const auto tokenizer = with_specials();
  CHECK(ids_of(*tokenizer, "<|a", kTemplate) == Ids{'<', '|', 'a'});
  CHECK(ids_of(*tokenizer, "<<t>", kTemplate) == Ids{'<', 257});
  CHECK(ids_of(*tokenizer, "<T>", kTemplate) == Ids{'<', 'T', '>'});
}

TEST_CASE("unused tokens are never looked for") {
  const auto tokenizer = with_specials();
  CHECK(ids_of(*tokenizer, "[PAD]", kTemplate) == Ids{'[', 'P', 'A', 'D', ']'});
}
