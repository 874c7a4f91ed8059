#include "runtime/text/vocabulary.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/text/small_vocabulary.h"

namespace {

using aprx::ErrorCode;
using aprx::TokenType;
using aprx::VocabularySource;
using aprx::test::byte_level;
using aprx::test::ids_of;
using aprx::test::make_tokenizer;
using aprx::test::sentence_piece;
using Ids = std::vector<int32_t>;

std::string refusal(VocabularySource source, ErrorCode code = ErrorCode::kBadFile) {
  const auto made = aprx::Tokenizer::create(std::move(source));
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == code);
  return made.error().text();
}

}  // namespace

TEST_CASE("missing keys are named") {
  VocabularySource source = byte_level("gpt-2", {});
  source.model.reset();
  CHECK(refusal(source) ==
        "tokenizer.ggml.model: is missing, expected 'gpt2' (byte-level BPE) or 'llama' (SentencePiece)");
  source = byte_level("gpt-2", {});
  source.pre.reset();
  CHECK(refusal(source) ==
        "tokenizer.ggml.pre: is missing, expected the name of a pre-tokenizer\n"
        "  the file was made by an old converter; convert the model again");
  source = byte_level("gpt-2", {});
  source.tokens.reset();
  CHECK(refusal(source) == "tokenizer.ggml.tokens: is missing, expected the list of all tokens");
  source = byte_level("gpt-2", {});
  source.merges.reset();
  CHECK(refusal(source) == "tokenizer.ggml.merges: is missing, expected the list that model 'gpt2' needs");
}

TEST_CASE("an unknown kind of tokenizer is a missing capability") {
  VocabularySource source = byte_level("gpt-2", {});
  source.model = "wordle";
  CHECK(refusal(source, ErrorCode::kCapability) ==
        "tokenizer.ggml.model: is 'wordle', which is not known, expected 'gpt2' (byte-level BPE) or 'llama' "
        "(SentencePiece)");
  source = byte_level("qwen99", {});
  CHECK(refusal(source, ErrorCode::kCapability)
            .starts_with("tokenizer.ggml.pre: is 'qwen99', which is not known"));
}

TEST_CASE("counts that contradict each other are refused") {
  VocabularySource source = byte_level("gpt-2", {});
  source.tokens->clear();
  source.types->clear();
  CHECK(refusal(source) == "tokenizer.ggml.tokens: is empty, expected at least one token");
  source = byte_level("gpt-2", {});
  source.types->pop_back();
  CHECK(refusal(source) ==
        "tokenizer.ggml.token_type: has 255 items, expected 256, one for each item of tokenizer.ggml.tokens");
  source = sentence_piece({});
  source.scores->push_back(0);
  CHECK(refusal(source) ==
        "tokenizer.ggml.scores: has 260 items, expected 259, one for each item of tokenizer.ggml.tokens");
}

TEST_CASE("values out of range are refused") {
  VocabularySource source = byte_level("gpt-2", {});
  (*source.types)[7] = 99;
  CHECK(refusal(source) == "tokenizer.ggml.token_type: item 7 is 99, expected a type from 1 to 6");
  (*source.types)[7] = -1;
  CHECK(refusal(source) == "tokenizer.ggml.token_type: item 7 is -1, expected a type from 1 to 6");
  source = sentence_piece({});
  (*source.scores)[9] = std::numeric_limits<float>::quiet_NaN();
  CHECK(refusal(source) ==
        "tokenizer.ggml.scores: item 9 is not a number, expected scores that can be compared");
}

TEST_CASE("merges that are not two tokens are refused") {
  for (const char* bad : {"hello", "hello ", " hello", "", " "}) {
    VocabularySource source = byte_level("gpt-2", {"a b"});
    source.merges->push_back(bad);
    CHECK(refusal(source) == "tokenizer.ggml.merges: item 1 is '" + std::string(bad) +
                                 "', expected two tokens with a space between them");
  }
}

TEST_CASE("a vocabulary without a printable ASCII byte is refused") {
  VocabularySource source = byte_level("gpt-2", {});
  (*source.tokens)['A'] = "zzzz";
  CHECK(refusal(source) == "tokenizer.ggml.tokens: byte 0x41 ('A') has no token, expected a token 'A'");
}

TEST_CASE("special ids past the vocabulary are refused by key, and -1 in either form is none") {
  struct Case {
    const char* key;
    std::optional<int64_t> VocabularySource::* field;
  };
  const std::vector<Case> cases = {{"bos_token_id", &VocabularySource::bos_id},
                                   {"eos_token_id", &VocabularySource::eos_id},
                                   {"eot_token_id", &VocabularySource::eot_id},
                                   {"eom_token_id", &VocabularySource::eom_id},
                                   {"unknown_token_id", &VocabularySource::unknown_id},
                                   {"padding_token_id", &VocabularySource::padding_id}};
  for (const Case& c : cases) {
    VocabularySource source = byte_level("gpt-2", {});
    source.*c.field = 256;
    CHECK(refusal(source) == "tokenizer.ggml." + std::string(c.key) + ": is 256, expected an id below 256");
    source.*c.field = -2;
    CHECK(refusal(source) == "tokenizer.ggml." + std::string(c.key) + ": is -2, expected an id below 256");
    for (const int64_t none : {int64_t{-1}, int64_t{4294967295}}) {
      source.*c.field = none;
      const auto tokenizer = make_tokenizer(source);
      CHECK_FALSE(tokenizer->bos().has_value());
      CHECK_FALSE(tokenizer->eos().has_value());
    }
  }
}

TEST_CASE("of equal token texts the first encodes and all decode") {
  auto source = byte_level("gpt-2", {}, {{"b", TokenType::kNormal}});
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(ids_of(*tokenizer, "b") == Ids{'b'});
  CHECK(tokenizer->bytes(256) == "b");
}

TEST_CASE("empty token texts and texts that are not UTF-8 do no harm") {
  auto source = byte_level("gpt-2", {}, {{"", TokenType::kNormal}, {"\xFF\xFE", TokenType::kNormal}});
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(ids_of(*tokenizer, "ab") == Ids{'a', 'b'});
  CHECK(tokenizer->bytes(256).empty());
  CHECK(tokenizer->bytes(257) == "\xFF\xFE");
  CHECK(tokenizer->text(257) == "\xFF\xFE");
}

TEST_CASE("end tokens are those named by id, and control tokens known to end a turn") {
  auto source = byte_level("gpt-2", {},
                           {{"<|im_end|>", TokenType::kControl},      // 256
                            {"</s>", TokenType::kNormal},             // 257: plain text by this name
                            {"<eos>", TokenType::kControl},           // 258
                            {"<eot>", TokenType::kControl},           // 259
                            {"<eom>", TokenType::kControl},           // 260
                            {"<|im_start|>", TokenType::kControl}});  // 261
  source.bos_id = 261;
  source.eos_id = 258;
  source.eot_id = 259;
  source.eom_id = 260;
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(tokenizer->size() == 262);
  CHECK(tokenizer->bos() == 261);
  CHECK(tokenizer->eos() == 258);
  std::vector<int32_t> ends;
  for (int32_t id = 0; id < 262; ++id) {
    if (tokenizer->is_end_of_generation(id)) ends.push_back(id);
  }
  CHECK(ends == Ids{256, 258, 259, 260});
  CHECK(tokenizer->is_control(261));
  CHECK_FALSE(tokenizer->is_control(257));
  CHECK(tokenizer->contains(261));
  CHECK_FALSE(tokenizer->contains(262));
  CHECK_FALSE(tokenizer->contains(-1));
}

TEST_CASE("without token types the special ids are control tokens") {
  auto source = byte_level("gpt-2", {}, {{"<eos>", TokenType::kNormal}});
  source.types.reset();
  source.eos_id = 256;
  const auto tokenizer = make_tokenizer(std::move(source));
  CHECK(tokenizer->is_control(256));
  CHECK_FALSE(tokenizer->is_control(255));
}

TEST_CASE("token type 0 is ordinary text") {
  auto source = byte_level("gpt-2", {});
  source.types->assign(256, 0);
  CHECK(ids_of(*make_tokenizer(std::move(source)), "a") == Ids{'a'});
}

TEST_CASE("token bytes follow the token's type") {
  const auto tokenizer = make_tokenizer(byte_level("gpt-2", {"Ġ a"},
                                                   {{"<|Ġ|>", TokenType::kControl},
                                                    {"<Ġ>", TokenType::kUserDefined},
                                                    {"[PAD]", TokenType::kUnused},
                                                    {"<0x0A>", TokenType::kByte},
                                                    {"Ġ", TokenType::kByte}}));
  CHECK(tokenizer->bytes(256) == " a");
  CHECK(tokenizer->text(256) == "Ġa");
  CHECK(tokenizer->bytes(257) == "<|Ġ|>");
  CHECK(tokenizer->bytes(258) == "<Ġ>");
  CHECK(tokenizer->bytes(259).empty());
  CHECK(tokenizer->bytes(260) == "\n");
  CHECK(tokenizer->bytes(261) == " ");
}
