#include <catch2/catch_test_macros.hpp>

#include "tests/check/check_fixture.h"
#include "tests/check/small_model.h"

namespace aprx::test {
namespace {

// The check of a small model after `change`.
template <typename Change>
ModelCheck changed(CheckFixture& fixture, Change change) {
  SmallModel model;
  change(model);
  return fixture.check(model.writer());
}

}  // namespace

TEST_CASE("a whole vocabulary holds, and says what was tried", "[check]") {
  CheckFixture fixture;
  const ModelCheck check = fixture.check(SmallModel().writer());
  CHECK(gate(check, "tokenizer").outcome == Outcome::kHeld);
  // The 128 bytes of ASCII and the control token; other bytes are parts of characters.
  CHECK(gate(check, "tokenizer").reason == "257 tokens, 129 come back from encoding; no chat template");
}

TEST_CASE("special ids are within the vocabulary, those that aprx doesn't use too", "[check]") {
  CheckFixture fixture;
  const Error eos = only_finding(changed(fixture, [](SmallModel& model) { model.eos = 257; }), "tokenizer");
  CHECK(eos.subject == "tokenizer.ggml.eos_token_id");
  CHECK(eos.found == "is 257");
  CHECK(eos.expected == "an id below 257");

  GgufWriter writer = SmallModel().writer();
  writer.set_u32("tokenizer.ggml.fim_pre_token_id", 9999)
      .set_u32("tokenizer.ggml.mask_token_id", 0xFFFF'FFFF);
  CHECK(only_finding(fixture.check(writer), "tokenizer").subject == "tokenizer.ggml.fim_pre_token_id");
}

TEST_CASE("texts of tokens are there, UTF-8, and each one's own", "[check]") {
  CheckFixture fixture;
  const ModelCheck empty = changed(fixture, [](SmallModel& model) { model.tokens[200] = ""; });
  CHECK(only_finding(empty, "tokenizer").found == "1 item with an empty text, the first 200");
  const ModelCheck twice = changed(fixture, [](SmallModel& model) { model.tokens[256] = model.tokens[65]; });
  CHECK(only_finding(twice, "tokenizer").found == "1 item with the text of an earlier one, the first 256");
  const ModelCheck bytes = changed(fixture, [](SmallModel& model) { model.tokens[200] = "\xFF"; });
  CHECK(only_finding(bytes, "tokenizer").found == "1 item not in UTF-8, the first 200");
  CHECK(only_finding(bytes, "tokenizer").subject == "tokenizer.ggml.tokens");
}

TEST_CASE("a token whose text can't be encoded is lost", "[check]") {
  CheckFixture fixture;
  // Byte 0x0A has no token any more, and the last token needs it.
  const ModelCheck check = changed(fixture, [](SmallModel& model) {
    const std::string newline = byte_characters()[10];
    model.tokens[10] = "instead";
    model.tokens[256] = newline + newline;
    model.types[256] = 1;
  });
  CHECK(only_finding(check, "tokenizer").found ==
        "1 of 257 tokens become another text when encoded and decoded, the first 256 '" +
            byte_characters()[10] + byte_characters()[10] + "'");
}

TEST_CASE("the number of tokens is that of the embedding's rows", "[check]") {
  CheckFixture fixture;
  const ModelCheck check =
      changed(fixture, [](SmallModel& model) { model.add("token_embd.weight", {32, 256}); });
  CHECK(only_finding(check, "tokenizer").subject == "token_embd.weight");
  CHECK(only_finding(check, "tokenizer").found == "256 rows");
}

TEST_CASE("without shapes there is nothing to compare the number of tokens with", "[check]") {
  CheckFixture fixture;
  const ModelCheck check =
      changed(fixture, [](SmallModel& model) { model.tensors.erase("blk.0.ffn_up.weight"); });
  CHECK(outcomes(check) == "not_measured held broken held not_measured");
  CHECK(only_finding(check, "shapes").subject == "blk.0.ffn_up.weight");
}

TEST_CASE("a chat template parses or is told with its line", "[check]") {
  CheckFixture fixture;
  const ModelCheck good = changed(fixture, [](SmallModel& model) { model.chat_template = "{{ messages }}"; });
  CHECK(gate(good, "tokenizer").reason ==
        "257 tokens, 129 come back from encoding; the chat template parses");
  const ModelCheck bad = changed(fixture, [](SmallModel& model) { model.chat_template = "a\n{% if %}"; });
  CHECK(only_finding(bad, "tokenizer").subject.starts_with("tokenizer.chat_template"));
  GgufWriter writer = SmallModel().writer();
  writer.set_u32("tokenizer.chat_template", 1);
  CHECK(only_finding(fixture.check(writer), "tokenizer").found == "its type is uint32");
}

TEST_CASE("a tokenizer that aprx doesn't know is no damage", "[check]") {
  CheckFixture fixture;
  GgufWriter writer;
  writer.set_text("general.architecture", "llama").set_text("tokenizer.ggml.model", "wordle");
  CHECK(only_finding(fixture.check(writer), "tokenizer").code == ErrorCode::kCapability);
}

}  // namespace aprx::test
