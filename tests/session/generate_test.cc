#include "runtime/session/generate.h"

#include "tests/support/test_host.h"

using namespace aprx;
using namespace aprx::test;

namespace {

// "What is the capital of France?" in chat form; the answer is "The capital of France is Paris."
const std::vector<int32_t> kPrompt = {4088, 265, 260,  198, 303,  282, 263, 307, 271,
                                      2943, 30,  4089, 198, 4088, 641, 273, 198};

struct Outcome {
  GenerateResult result;
  std::string text;
};

struct Fixture {
  LoadedModel model;
  std::unique_ptr<Tokenizer> tokenizer;

  explicit Fixture(int64_t context)
      : model(load_model(demo_model(), {.backends = {"cpu"}, .context = context, .threads = 2})) {
    auto made = tokenizer_of(*model.file);
    REQUIRE(made.ok());
    tokenizer = std::move(*made);
  }

  Result<GenerateResult> run(const GenerateRequest& request, const OnText& on_text) {
    auto state = model.executor->new_state();
    REQUIRE(state.ok());
    return generate(*model.executor, *state, *tokenizer, request, on_text);
  }

  Outcome run(const GenerateRequest& request) {
    Outcome outcome;
    auto result = run(request, [&](const std::string& piece) {
      outcome.text += piece;
      return true;
    });
    REQUIRE(result.ok());
    outcome.result = *result;
    return outcome;
  }
};

GenerateRequest greedy() {
  GenerateRequest request;
  request.prompt = kPrompt;
  request.sampling.temperature = 0;
  return request;
}

}  // namespace

TEST_CASE("a generation ends where it should and counts what it did") {
  Fixture fixture(64);
  SECTION("at the end token") {
    const Outcome outcome = fixture.run(greedy());
    CHECK(outcome.result.reason == FinishReason::kEndToken);
    CHECK(outcome.text == "The capital of France is Paris.");
    CHECK(outcome.result.tokens.size() == 9);
    CHECK(outcome.result.tokens_prefilled == 17);
    CHECK(outcome.result.tokens_decoded == 8);
  }
  SECTION("at a stop string, which is not shown") {
    GenerateRequest request = greedy();
    request.stops = {"France is", "nothing of the kind"};
    const Outcome outcome = fixture.run(request);
    CHECK(outcome.result.reason == FinishReason::kStopString);
    CHECK(outcome.text == "The capital of ");
  }
  SECTION("at the number of tokens asked for") {
    GenerateRequest request = greedy();
    request.max_tokens = 3;
    const Outcome outcome = fixture.run(request);
    CHECK(outcome.result.reason == FinishReason::kMaxTokens);
    CHECK(outcome.result.tokens == std::vector<int32_t>{315, 307, 271});
    CHECK(outcome.result.tokens_decoded == 2);
  }
  SECTION("at none") {
    GenerateRequest request = greedy();
    request.max_tokens = 0;
    const Outcome outcome = fixture.run(request);
    CHECK(outcome.result.tokens.empty());
    CHECK(outcome.text.empty());
  }
  SECTION("when the receiver of the text says so") {
    int pieces = 0;
    auto result = fixture.run(greedy(), [&](const std::string&) { return ++pieces < 2; });
    REQUIRE(result.ok());
    CHECK(result->reason == FinishReason::kInterrupted);
    CHECK(result->tokens.size() == 2);
  }
}

TEST_CASE("a context that is full ends the generation, and one that can't hold the prompt refuses it") {
  SECTION("one position is left for the first token") {
    Fixture fixture(18);
    const Outcome outcome = fixture.run(greedy());
    CHECK(outcome.result.reason == FinishReason::kContextFull);
    CHECK(outcome.result.tokens.size() == 2);
  }
  SECTION("exactly as long as the prompt") {
    Fixture fixture(17);
    const Outcome outcome = fixture.run(greedy());
    CHECK(outcome.result.reason == FinishReason::kContextFull);
    CHECK(outcome.result.tokens.size() == 1);
  }
  SECTION("one too short") {
    Fixture fixture(16);
    auto result = fixture.run(greedy(), [](const std::string&) { return true; });
    REQUIRE_FALSE(result.ok());
    CHECK(exit_code(result.error()) == 5);
    CHECK(result.error().text() ==
          "prompt: 17 tokens, expected at most 16 (the context holds 16)\n"
          "  give a larger context with --ctx, or shorten the prompt");
  }
}

TEST_CASE("the same seed gives the same text, another seed another") {
  Fixture fixture(128);
  const auto sampled = [&](uint64_t seed) {
    GenerateRequest request = greedy();
    request.prompt.resize(2);
    request.max_tokens = 40;
    request.sampling = {.temperature = 2.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0.0F, .seed = seed};
    return fixture.run(request).result.tokens;
  };
  CHECK(sampled(1) == sampled(1));
  CHECK(sampled(1) != sampled(2));
}

TEST_CASE("an interrupted host ends the generation with what there is") {
  Fixture fixture(64);
  TestHost::instance().cancelled() = true;
  auto result = fixture.run(greedy(), [](const std::string&) { return true; });
  TestHost::instance().cancelled() = false;
  REQUIRE(result.ok());
  CHECK(result->reason == FinishReason::kInterrupted);
  CHECK(result->tokens.empty());
}

TEST_CASE("a resident executor serves many sequences without preparing anything anew") {
  Fixture fixture(64);
  const uint64_t prepared = fixture.model.executor->record().weights_prepared;
  const uint64_t bytes = fixture.model.executor->bytes_in_use();
  for (int i = 0; i < 5; ++i) CHECK(fixture.run(greedy()).text == "The capital of France is Paris.");
  CHECK(fixture.model.executor->record().weights_prepared == prepared);
  CHECK(fixture.model.executor->bytes_in_use() == bytes);
  const Part& part = fixture.model.executor->route().parts()[0];
  const Record& record = fixture.model.executor->record();
  REQUIRE(record.work.size() == 1);
  CHECK(record.work[0].device == part.device.id);
  CHECK(record.work[0].operators_run == record.runs * part.operators);
}
