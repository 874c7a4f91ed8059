// The demo model gives the answers that an independent implementation gives, token for token. The
// chats are those in which no step is a near tie, so that another rounding can't change a token.
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/session/generate.h"
#include "tests/support/test_host.h"

using namespace aprx;
using namespace aprx::test;

namespace {

std::vector<nlohmann::json> stable_chats() {
  std::ifstream file(std::filesystem::path(APRX_SOURCE_DIR) / "tests/data/demo_expected.jsonl");
  std::vector<nlohmann::json> chats;
  for (std::string line; std::getline(file, line);) chats.push_back(nlohmann::json::parse(line));
  return chats;
}

GenerateRequest greedy(std::vector<int32_t> prompt) {
  GenerateRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = 200;
  request.sampling.temperature = 0;
  return request;
}

}  // namespace

TEST_CASE("every stable answer of the demo model, turn by turn") {
  const std::vector<nlohmann::json> chats = stable_chats();
  REQUIRE(chats.size() == 35);
  LoadedModel model = load_model(demo_model(), {.backends = {"cpu"}, .context = 1024, .threads = 2});
  auto tokenizer = tokenizer_of(*model.file);
  REQUIRE(tokenizer.ok());
  for (const nlohmann::json& chat : chats) {
    INFO(chat["id"]);
    for (size_t turn = 0; turn < chat["prompt_ids"].size(); ++turn) {
      auto state = model.executor->new_state();
      REQUIRE(state.ok());
      std::string text;
      auto result = generate(*model.executor, *state, **tokenizer, greedy(chat["prompt_ids"][turn]),
                             [&](const std::string& piece) {
                               text += piece;
                               return true;
                             });
      REQUIRE(result.ok());
      CHECK(result->tokens == chat["answer_ids"][turn].get<std::vector<int32_t>>());
      CHECK(text == chat["answers"][turn].get<std::string>());
      CHECK(result->reason == FinishReason::kEndToken);
    }
  }
}
