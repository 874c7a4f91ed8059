#include "runtime/text/detokenizer.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/text/small_vocabulary.h"

namespace {

using aprx::Detokenizer;
using aprx::TokenType;
using aprx::test::byte_level;
using aprx::test::make_tokenizer;
using aprx::test::sentence_piece;

const std::string kReplacement = "\xEF\xBF\xBD";

std::unique_ptr<aprx::Tokenizer> bytes_and_specials() {
  return make_tokenizer(
      byte_level("gpt-2", {"Ġ a"}, {{"<|end|>", TokenType::kControl}, {"<t>", TokenType::kUserDefined}}));
}

// What each byte of `text` emits, and the flush last.
std::vector<std::string> pushes(const aprx::Tokenizer& tokenizer, const std::string& text) {
  Detokenizer detokenizer(tokenizer, true);
  std::vector<std::string> out;
  for (const char byte : text) out.push_back(detokenizer.push(static_cast<unsigned char>(byte)));
  out.push_back(detokenizer.flush());
  return out;
}

}  // namespace

TEST_CASE("a character of 2, 3 or 4 bytes comes whole with its last byte") {
  const auto tokenizer = bytes_and_specials();
  CHECK(pushes(*tokenizer, "é") == std::vector<std::string>{"", "é", ""});
  CHECK(pushes(*tokenizer, "中") == std::vector<std::string>{"", "", "中", ""});
  CHECK(pushes(*tokenizer, "😀") == std::vector<std::string>{"", "", "", "😀", ""});
  CHECK(pushes(*tokenizer, "aé") == std::vector<std::string>{"a", "", "é", ""});
}

TEST_CASE("a part that cannot go on is one U+FFFD as soon as that is known") {
  const auto tokenizer = bytes_and_specials();
  CHECK(pushes(*tokenizer, "\x80") == std::vector<std::string>{kReplacement, ""});
  CHECK(pushes(*tokenizer, "\xE4\xB8z") == std::vector<std::string>{"", "", kReplacement + "z", ""});
  CHECK(pushes(*tokenizer, "\xE4\xB8\xC3\xA9") == std::vector<std::string>{"", "", kReplacement, "é", ""});
  CHECK(pushes(*tokenizer, "\xED\xA0") == std::vector<std::string>{"", kReplacement + kReplacement, ""});
}

TEST_CASE("a tail left at the end is one U+FFFD") {
  const auto tokenizer = bytes_and_specials();
  CHECK(pushes(*tokenizer, "\xF0\x9F\x98") == std::vector<std::string>{"", "", "", kReplacement});
  CHECK(pushes(*tokenizer, "") == std::vector<std::string>{""});
}

TEST_CASE("a skipped control token gives nothing and does not cut a character") {
  const auto tokenizer = bytes_and_specials();
  Detokenizer skipping(*tokenizer, true);
  CHECK(skipping.push(0xC3).empty());
  CHECK(skipping.push(257).empty());
  CHECK(skipping.push(0xA9) == "é");
  CHECK(skipping.push(258) == "<t>");
  Detokenizer showing(*tokenizer, false);
  CHECK(showing.push(257) == "<|end|>");
}

TEST_CASE("byte-level text keeps its first space, SentencePiece drops the one that encoding added") {
  const auto byte_pairs = bytes_and_specials();
  Detokenizer keeping(*byte_pairs, true);
  CHECK(keeping.push(256) == " a");

  // 259 ▁▁, 260 ▁a, 261 ▁
  const auto pieces = make_tokenizer(sentence_piece({{"▁▁", -1}, {"▁a", -2}, {"▁", -3}}));
  Detokenizer one(*pieces, true);
  CHECK(one.push(1).empty());
  CHECK(one.push(260) == "a");
  CHECK(one.push(260) == " a");
  Detokenizer two(*pieces, true);
  CHECK(two.push(259) == " ");
  Detokenizer alone(*pieces, true);
  CHECK(alone.push(261).empty());
  CHECK(alone.push(260) == " a");
  Detokenizer shown(*pieces, false);
  CHECK(shown.push(1) == "<s>");
  CHECK(shown.push(260) == " a");
}

TEST_CASE("no space is dropped where encoding adds none") {
  auto source = sentence_piece({{"▁a", -2}});
  source.add_space_prefix = false;
  const auto tokenizer = make_tokenizer(std::move(source));
  Detokenizer detokenizer(*tokenizer, true);
  CHECK(detokenizer.push(259) == " a");
}
