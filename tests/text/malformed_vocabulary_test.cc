// The damaged vocabularies of the test pack: which are refused, and that the message names the key.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/shared.h"
#include "tests/text/gguf_vocabulary.h"
#include "tests/text/small_vocabulary.h"

namespace {

using nlohmann::json;
using Ids = std::vector<int32_t>;

aprx::VocabularySource source_of(const std::filesystem::path& shared, const std::string& file) {
  const auto pack = shared / "corpora/malformed_gguf/files.tar.xz";
  const std::string bytes = aprx::test::output_of("tar -xJOf '" + pack.string() + "' './" + file + "'");
  return aprx::test::GgufVocabularyReader(bytes).read();
}

}  // namespace

TEST_CASE("damaged vocabularies are refused with the key's name, the rest are accepted") {
  APRX_REQUIRE_SHARED(shared);
  std::ifstream index(shared / "corpora/malformed_gguf/index.jsonl");
  size_t seen = 0;
  for (std::string line; std::getline(index, line);) {
    const json c = json::parse(line);
    if (c.at("kind") != "tokenizer") continue;
    ++seen;
    INFO(c.at("name"));
    const auto made = aprx::Tokenizer::create(source_of(shared, c.at("open").get<std::string>()));
    if (c.at("verdict") == "refuse") CHECK_FALSE(made.ok());
    if (made.ok()) continue;
    const std::string text = made.error().text();
    INFO(text);
    bool is_named = false;
    for (const json& name : c.at("message_names"))
      is_named = is_named || text.find(name.get<std::string>()) != std::string::npos;
    CHECK(is_named);
  }
  CHECK(seen == 15);
}

TEST_CASE("harmless oddities are accepted and change no other token") {
  APRX_REQUIRE_SHARED(shared);
  const auto good = aprx::test::make_tokenizer(source_of(shared, "good.gguf"));
  const std::string text = "hello world, the qz%";
  for (const char* file : {"merge_unknown.gguf", "eos_minus_one.gguf", "token_duplicate.gguf",
                           "token_empty.gguf", "token_not_utf8.gguf"}) {
    INFO(file);
    const auto odd = aprx::test::make_tokenizer(source_of(shared, file));
    CHECK(aprx::test::ids_of(*odd, text) == aprx::test::ids_of(*good, text));
  }
  const auto odd = aprx::test::make_tokenizer(source_of(shared, "merge_unknown.gguf"));
  CHECK(aprx::test::ids_of(*odd, "qz") == Ids{'q', 'z'});
}
