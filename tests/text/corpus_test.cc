// The published tokenizers' answers: every case of the test pack.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/text/detokenizer.h"
#include "tests/support/shared.h"
#include "tests/text/gguf_vocabulary.h"
#include "tests/text/small_vocabulary.h"

namespace {

using aprx::EncodeOptions;
using aprx::Tokenizer;
using nlohmann::json;
using Ids = std::vector<int32_t>;

std::unique_ptr<Tokenizer> load(const std::filesystem::path& shared, const std::string& name) {
  const auto path = shared / "corpora/tokenizers" / (name + ".gguf.xz");
  const std::string file = aprx::test::output_of("xz -dc '" + path.string() + "'");
  return aprx::test::make_tokenizer(aprx::test::GgufVocabularyReader(file).read());
}

std::vector<json> cases(const std::filesystem::path& shared, const std::string& name) {
  const auto path = shared / "corpora/tokenizers" / (name + ".jsonl.gz");
  std::istringstream lines(aprx::test::output_of("gzip -dc '" + path.string() + "'"));
  std::vector<json> all;
  for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
  return all;
}

std::string input_of(const json& c) {
  if (!c.contains("hex")) return c.at("text").get<std::string>();
  const auto hex = c.at("hex").get<std::string>();
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// The case's answer under `key`, or its other accepted one.
bool is_right(const json& c, const char* key, const Ids& ids) {
  if (ids == c.at(key).get<Ids>()) return true;
  return c.contains("also") && c.at("also").contains(key) && ids == c.at("also").at(key).get<Ids>();
}

void check_encode(const std::string& name, size_t expected_cases) {
  APRX_REQUIRE_SHARED(shared);
  const auto tokenizer = load(shared, name);
  const std::vector<json> all = cases(shared, name);
  REQUIRE(all.size() == expected_cases);
  for (const json& c : all) {
    INFO(c.at("id") << " " << c.at("kind"));
    const std::string text = input_of(c);
    CHECK(is_right(c, "ids", aprx::test::ids_of(*tokenizer, text)));
    const Ids parsed = aprx::test::ids_of(*tokenizer, text, {.parse_special = true});
    CHECK(is_right(c, "ids_with_special_parsed", parsed));
    const char* bare = c.contains("ids_no_added_tokens") ? "ids_no_added_tokens" : "ids";
    CHECK(is_right(c, bare, aprx::test::ids_of(*tokenizer, text, {.parse_added = false})));
  }
}

void check_decode(const std::string& name, size_t expected_cases) {
  APRX_REQUIRE_SHARED(shared);
  const auto tokenizer = load(shared, name);
  const std::vector<json> all = cases(shared, "decode-" + name);
  REQUIRE(all.size() == expected_cases);
  for (const json& c : all) {
    INFO(c.at("id") << " " << c.at("kind"));
    aprx::Detokenizer detokenizer(*tokenizer, c.at("skip_special").get<bool>());
    std::vector<std::string> pushes;
    for (const int32_t id : c.at("ids").get<Ids>()) pushes.push_back(detokenizer.push(id));
    CHECK(pushes == c.at("pushes").get<std::vector<std::string>>());
    CHECK(detokenizer.flush() == c.at("flush").get<std::string>());
  }
}

}  // namespace

TEST_CASE("qwen3 encodes as published") { check_encode("qwen3", 3002); }
TEST_CASE("qwen35 encodes as published") { check_encode("qwen35", 3002); }
TEST_CASE("llama3 encodes as published") { check_encode("llama3", 628); }
TEST_CASE("llama-spm encodes as published") { check_encode("llama-spm", 628); }
TEST_CASE("gpt-2 encodes as published") { check_encode("gpt-2", 628); }
TEST_CASE("starcoder encodes as published") { check_encode("starcoder", 628); }
TEST_CASE("refact encodes as published") { check_encode("refact", 628); }
TEST_CASE("mpt encodes as published") { check_encode("mpt", 628); }

TEST_CASE("qwen3 decodes as published") { check_decode("qwen3", 300); }
TEST_CASE("llama-spm decodes as published") { check_decode("llama-spm", 120); }
TEST_CASE("gpt-2 decodes as published") { check_decode("gpt-2", 120); }

TEST_CASE("the 32,768 tokens of the long text") {
  APRX_REQUIRE_SHARED(shared);
  const auto tokenizer = load(shared, "qwen3");
  const auto folder = shared / "corpora/prompts";
  const std::string text = aprx::test::output_of("xz -dc '" + (folder / "text_32k.txt.xz").string() + "'");
  const Ids ids = aprx::test::ids_of(*tokenizer, text);
  CHECK(ids.size() == 32768);
  std::string decoded;
  aprx::Detokenizer detokenizer(*tokenizer, true);
  for (const int32_t id : ids) decoded += detokenizer.push(id);
  CHECK(decoded + detokenizer.flush() == text);
}
