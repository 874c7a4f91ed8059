#include "runtime/text/pretokenizer.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& family, const std::string& text) {
  const auto made = aprx::Pretokenizer::create(family);
  REQUIRE(made.ok());
  const auto words = (*made)->split(text);
  REQUIRE(words.ok());
  return Words(words->begin(), words->end());
}

}  // namespace

TEST_CASE("gpt-2 joins a space to the next word and cuts lower-case contractions") {
  CHECK(words_of("gpt-2", "I'll go, 123 times!!") == Words{"I", "'ll", " go", ",", " 123", " times", "!!"});
  CHECK(words_of("gpt-2", "I'LL") == Words{"I", "'", "LL"});
  CHECK(words_of("gpt-2", "a   b\n") == Words{"a", "  ", " b", "\n"});
  CHECK(words_of("gpt-2", "").empty());
}

TEST_CASE("qwen2 cuts every digit, contractions of any case, and keeps newlines with punctuation") {
  CHECK(words_of("qwen2", "I'LL 123!\n\nx") == Words{"I", "'LL", " ", "1", "2", "3", "!\n\n", "x"});
  CHECK(words_of("qwen2", "a \n  b") == Words{"a", " \n", " ", " b"});
}

TEST_CASE("qwen35 keeps marks with letters where qwen2 cuts") {
  const std::string text = "\xE0\xA4\x95\xE0\xA4\xBF";  // Devanagari ka and a vowel sign
  CHECK(words_of("qwen35", text) == Words{text});
  CHECK(words_of("qwen2", text) == Words{"\xE0\xA4\x95", "\xE0\xA4\xBF"});
}

TEST_CASE("llama-bpe takes digits by threes") {
  CHECK(words_of("llama-bpe", "1234567") == Words{"123", "456", "7"});
  CHECK(words_of("llama3", "1234") == words_of("llama-bpe", "1234"));
  CHECK(words_of("llama-v3", "1234") == words_of("llama-bpe", "1234"));
}

TEST_CASE("smollm cuts digits first and the rest as gpt-2 does") {
  CHECK(words_of("smollm", "a  12 b") == Words{"a", "  ", "1", "2", " b"});
  CHECK(words_of("smollm", "\xC2\xBD") == Words{"\xC2\xBD"});  // one half is a numeral
}

TEST_CASE("white space is Unicode's: not the Mongolian vowel separator") {
  const std::string separator = "\xE1\xA0\x8E";
  const std::string no_break = "\xC2\xA0";
  CHECK(words_of("gpt-2", "a" + separator + "!") == Words{"a", separator + "!"});
  CHECK(words_of("gpt-2", "a" + no_break + "!") == Words{"a", no_break, "!"});
}

TEST_CASE("words cover the text whatever it holds") {
  std::string text;
  for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
  text += "\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF\xF4\x8F\xBF\xBF";
  for (const char* family : {"gpt-2", "qwen2", "qwen35", "llama-bpe", "smollm"}) {
    std::string joined;
    for (const std::string& word : words_of(family, text)) {
      CHECK_FALSE(word.empty());
      joined += word;
    }
    CHECK(joined == text);
  }
}

TEST_CASE("an unknown family is refused with the known ones") {
  const auto made = aprx::Pretokenizer::create("qwen99");
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == aprx::ErrorCode::kCapability);
  CHECK(made.error().text() ==
        "tokenizer.ggml.pre: is 'qwen99', which is not known, expected one of gpt-2, llama-bpe, llama-v3, "
        "llama3, mpt, qwen2, qwen35, refact, smollm, starcoder");
}
