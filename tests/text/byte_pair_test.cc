#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "tests/text/small_vocabulary.h"

namespace {

using aprx::EncodeOptions;
using aprx::TokenType;
using aprx::test::byte_level;
using aprx::test::ids_of;
using aprx::test::make_tokenizer;
using Ids = std::vector<int32_t>;

}  // namespace

TEST_CASE("the byte alphabet writes every byte as one printable character") {
  const auto& characters = aprx::byte_characters();
  CHECK(characters['A'] == "A");
  CHECK(characters[' '] == "Ġ");
  CHECK(characters['\n'] == "Ċ");
  CHECK(characters[0x00] == "Ā");
  CHECK(characters[0xAD] == "Ń");
  CHECK(characters[0xFF] == "ÿ");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(aprx::from_byte_alphabet(aprx::to_byte_alphabet(all)) == all);
  CHECK(aprx::from_byte_alphabet("中\xFFĠ") == "中\xFF ");
}

TEST_CASE("bytes without merges are single tokens") {
  const auto tokenizer = make_tokenizer(byte_level("gpt-2", {}));
  CHECK(ids_of(*tokenizer, "a é") == Ids{'a', ' ', 0xC3, 0xA9});
  CHECK(ids_of(*tokenizer, "").empty());
}

TEST_CASE("the merge of lowest rank is done first, of equals the leftmost") {
  // 256 "bc", 257 "ab", 258 "abc", 259 "aa"
  const auto tokenizer = make_tokenizer(byte_level("gpt-2", {"b c", "a b", "a bc", "a a"}));
  CHECK(ids_of(*tokenizer, "abc") == Ids{258});
  CHECK(ids_of(*tokenizer, "ab") == Ids{257});
  CHECK(ids_of(*tokenizer, "aaa") == Ids{259, 'a'});
  CHECK(ids_of(*tokenizer, "aaaa") == Ids{259, 259});
  CHECK(ids_of(*tokenizer, "abab") == Ids{257, 257});
}

TEST_CASE("merges do not cross the borders of words") {
  // 256 "Ġb", 257 "aĠ" never applies: the space belongs to the next word.
  const auto tokenizer = make_tokenizer(byte_level("gpt-2", {"Ġ b", "a Ġ"}));
  CHECK(ids_of(*tokenizer, "a b") == Ids{'a', 256});
}

TEST_CASE("a merge that makes no token is never used") {
  auto source = byte_level("gpt-2", {"a b"});
  source.merges->insert(source.merges->begin(), "q z");
  source.merges->push_back("xy a");
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(ids_of(*tokenizer, "qz") == Ids{'q', 'z'});
  CHECK(ids_of(*tokenizer, "ab") == Ids{256});
}

TEST_CASE("only llama-bpe takes a whole word that no merge reaches") {
  const std::vector<aprx::test::Extra> hello = {{"hello", TokenType::kNormal}};
  const auto llama = make_tokenizer(byte_level("llama-bpe", {}, hello));
  const auto gpt2 = make_tokenizer(byte_level("gpt-2", {}, hello));
  CHECK(ids_of(*llama, "hello") == Ids{256});
  CHECK(ids_of(*gpt2, "hello") == Ids{'h', 'e', 'l', 'l', 'o'});
}

TEST_CASE("a user's text never becomes a control token, not even as a whole word") {
  const auto tokenizer = make_tokenizer(byte_level("llama-bpe", {}, {{"end", TokenType::kControl}}));
  CHECK(ids_of(*tokenizer, "end") == Ids{'e', 'n', 'd'});
  CHECK(ids_of(*tokenizer, "end", {.parse_special = true}) == Ids{256});
}

TEST_CASE("text is put into NFC for the families that ask for it, or as the file says") {
  const std::string decomposed = "e\xCC\x81";
  const Ids composed = {0xC3, 0xA9};
  const Ids untouched = {'e', 0xCC, 0x81};
  CHECK(ids_of(*make_tokenizer(byte_level("qwen2", {})), decomposed) == composed);
  CHECK(ids_of(*make_tokenizer(byte_level("qwen35", {})), decomposed) == composed);
  CHECK(ids_of(*make_tokenizer(byte_level("mpt", {})), decomposed) == composed);
  CHECK(ids_of(*make_tokenizer(byte_level("gpt-2", {})), decomposed) == untouched);
  CHECK(ids_of(*make_tokenizer(byte_level("llama-bpe", {})), decomposed) == untouched);
  auto off = byte_level("qwen35", {});
  off.nfc = false;
  CHECK(ids_of(*make_tokenizer(std::move(off)), decomposed) == untouched);
  auto on = byte_level("gpt-2", {});
  on.nfc = true;
  CHECK(ids_of(*make_tokenizer(std::move(on)), decomposed) == composed);
}

TEST_CASE("special tokens are looked for before NFC") {
  // The angstrom sign's NFC is U+00C5; the token is found as spelled, the text beside it is normalized.
  const auto tokenizer =
      make_tokenizer(byte_level("qwen2", {}, {{"<\xE2\x84\xAB>", TokenType::kUserDefined}}));
  CHECK(ids_of(*tokenizer, "\xE2\x84\xAB<\xE2\x84\xAB>") == Ids{0xC3, 0x85, 256});
}

TEST_CASE("each maximal part that is not UTF-8 counts as one U+FFFD") {
  const auto tokenizer = make_tokenizer(byte_level("gpt-2", {}));
  const Ids replacement = {0xEF, 0xBF, 0xBD};
  CHECK(ids_of(*tokenizer, "\x80") == replacement);
  CHECK(ids_of(*tokenizer, "\xE4\xB8") == replacement);
  CHECK(ids_of(*tokenizer, "\xF0\x9F\x98") == replacement);
  CHECK(ids_of(*tokenizer, "\xED\xA0") == Ids{0xEF, 0xBF, 0xBD, 0xEF, 0xBF, 0xBD});
  CHECK(ids_of(*tokenizer, "\xE4\xB8z") == Ids{0xEF, 0xBF, 0xBD, 'z'});
}

TEST_CASE("a byte outside ASCII without a token is an error when a text needs it") {
  auto source = byte_level("gpt-2", {});
  (*source.tokens)[0xF1] = "zzzz";
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(ids_of(*tokenizer, "plain text").size() == 10);
  const auto ids = tokenizer->encode("\xF1\x80\x80\x80");
  REQUIRE_FALSE(ids.ok());
  CHECK(ids.error().code == aprx::ErrorCode::kBadFile);
  CHECK(ids.error().text() == "tokenizer.ggml.tokens: byte 0xF1 has no token, expected a token 'ñ'");
}

TEST_CASE("BOS and EOS are added on request where the file asks for them") {
  const auto make = [](std::string pre, std::optional<bool> add_bos, std::optional<bool> add_eos) {
    auto source =
        byte_level(std::move(pre), {}, {{"<s>", TokenType::kControl}, {"</s>", TokenType::kControl}});
    source.bos_id = 256;
    source.eos_id = 257;
    source.add_bos = add_bos;
    source.add_eos = add_eos;
    return make_tokenizer(std::move(source));
  };
  const EncodeOptions add = {.add_special = true};
  CHECK(ids_of(*make("gpt-2", {}, {}), "a", add) == Ids{'a'});
  CHECK(ids_of(*make("gpt-2", true, true), "a", add) == Ids{256, 'a', 257});
  CHECK(ids_of(*make("gpt-2", true, true), "a") == Ids{'a'});
  CHECK(ids_of(*make("llama-bpe", {}, {}), "a", add) == Ids{256, 'a'});
  CHECK(ids_of(*make("llama-bpe", false, {}), "a", add) == Ids{'a'});
  CHECK(ids_of(*make("gpt-2", true, {}), "", add) == Ids{256});
}

TEST_CASE("a text longer than the limit is refused") {
  const auto ids = make_tokenizer(byte_level("gpt-2", {}))->encode(std::string((64U << 20U) + 1, ' '));
  REQUIRE_FALSE(ids.ok());
  CHECK(ids.error().code == aprx::ErrorCode::kLimit);
  CHECK(ids.error().text() == "text: has 67108865 bytes, expected at most 67108864");
}

TEST_CASE("one tokenizer serves many threads") {
  const auto tokenizer = make_tokenizer(byte_level("qwen35", {"a b", "ab c"}));
  const std::string text = "abc ab e\xCC\x81 123 \xF0\x9F\x98\x80\n\n";
  const Ids expected = ids_of(*tokenizer, text);
  std::vector<Ids> results(4);
  std::vector<std::thread> threads;
  for (Ids& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) result = *tokenizer->encode(text);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Ids& result : results) CHECK(result == expected);
}
