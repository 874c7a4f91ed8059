// The cases of the malformed corpus that are about a model's values, tensors and architecture.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "file_source.h"
#include "micro_file.h"
#include "tests/support/shared.h"

using namespace aprx;
using namespace aprx::test;
using Json = nlohmann::json;

namespace {

// The unpacked corpus; removed at the end.
class Corpus {
 public:
  explicit Corpus(const std::filesystem::path& archive) {
    std::string pattern = (std::filesystem::temp_directory_path() / "aprx-model-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const std::string command = "tar -xf '" + archive.string() + "' -C '" + folder_.string() + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("can't unpack " + archive.string());
  }
  ~Corpus() { std::filesystem::remove_all(folder_); }
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

bool is_ours(const Json& one) {
  const std::string kind = one["kind"];
  const std::string name = one["name"];
  // Those are for whoever joins the tokenizer and the graph, and for the tokenizer.
  if (name == "vocab_mismatch" || name.starts_with("tokens_") || name == "bool_2") return false;
  return kind == "hparam" || kind == "tensor" || kind == "arch" || kind == "type" || kind == "control";
}

// The message; "" if the file was accepted. Warnings count as accepted.
std::string message_of(FileSource& source, const std::filesystem::path& path) {
  const auto file = source.open(path);
  if (!file) return file.error().text();
  const auto built = build(facts_of(**file));
  return built ? "" : built.error().text();
}

bool names_one(const std::string& message, const Json& one) {
  if (!one.contains("message_names")) return true;
  for (const std::string name : one["message_names"]) {
    if (message.find(name) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("malformed values, tensors and architectures get their verdict, and the message names the fault") {
  APRX_REQUIRE_SHARED(shared);
  const auto folder = shared / "corpora" / "malformed_gguf";
  const Corpus corpus(folder / "files.tar.xz");
  FileSource source;
  std::istringstream index(read_text(folder / "index.jsonl"));
  int count = 0;
  for (std::string line; std::getline(index, line);) {
    const Json one = Json::parse(line);
    if (!is_ours(one)) continue;
    ++count;
    const std::string message = message_of(source, corpus.path(one["open"]));
    INFO(one["name"].get<std::string>() << ": " << message);
    if (one["verdict"] == "refuse") CHECK_FALSE(message.empty());
    if (one["verdict"] == "accept") CHECK(message.empty());
    if (!message.empty()) CHECK(names_one(message, one));
  }
  CHECK(count >= 50);
}

TEST_CASE("the graph knows the vocabulary that a tokenizer must match") {
  APRX_REQUIRE_SHARED(shared);
  const Corpus corpus(shared / "corpora" / "malformed_gguf" / "files.tar.xz");
  FileSource source;
  const auto file = source.open(corpus.path("vocab_mismatch.gguf"));
  REQUIRE(file.ok());
  const auto built = build(facts_of(**file));
  REQUIRE(built.ok());
  CHECK(built->vocabulary == 272);
  CHECK((*file)->find("tokenizer.ggml.tokens")->count == 300);
}

TEST_CASE("types that are not known are capability refusals") {
  APRX_REQUIRE_SHARED(shared);
  const Corpus corpus(shared / "corpora" / "malformed_gguf" / "files.tar.xz");
  FileSource source;
  for (const char* name : {"ggml_type_4.gguf", "ggml_type_999.gguf", "ggml_type_4294967295.gguf"}) {
    INFO(name);
    const auto file = source.open(corpus.path(name));
    REQUIRE(file.ok());
    const auto built = build(facts_of(**file));
    REQUIRE_FALSE(built.ok());
    CHECK(built.error().code == ErrorCode::kCapability);
    CHECK(built.error().subject == "blk.0.attn_qkv.weight");
  }
}
