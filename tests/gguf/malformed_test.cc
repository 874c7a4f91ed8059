// The corpus of malformed files, as far as the reader is concerned: faults of the structure are
// refused by name, faults of the model are described so that a later stage can refuse them.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/gguf/gguf_fixture.h"
#include "tests/support/privilege.h"
#include "tests/support/shared.h"

namespace aprx::test {
namespace {

using Json = nlohmann::json;

// Kinds whose faults are about what the model means, or its text.
const std::set<std::string> kLaterKinds = {"hparam", "tokenizer", "template", "values", "arch", "tensor"};
// Single cases of other kinds that are whole as files.
const std::set<std::string> kLaterCases = {
    "tensor_count_less", "tensor_count_zero",    "kv_count_zero",         "ggml_type_4",
    "ggml_type_999",     "ggml_type_4294967295", "key_wrong_type_string", "key_wrong_type_float",
    "key_negative",      "arch_wrong_type",      "tokens_wrong_item_type"};
// A row that doesn't fill its blocks can't be described, so it is refused here.
const std::set<std::string> kEarlyCases = {"q8_0_row_not_block"};

bool is_ours(const Json& row) {
  const std::string name = row["name"];
  if (kEarlyCases.count(name) > 0) return true;
  return kLaterKinds.count(row["kind"]) == 0 && kLaterCases.count(name) == 0;
}

int shell(const std::string& command) {
  return std::system(command.c_str());
}  // NOLINT(concurrency-mt-unsafe)

// Touches everything that a file describes.
void walk(const ModelFile& model) {
  for (size_t i = 0; i < model.metadata().size(); ++i) {
    const Value& value = model.metadata()[i].value;
    if (value.item_kind != ValueKind::kNone) CHECK(model.items(i, 0, value.count).size() == value.count);
  }
  for (const FileTensor& tensor : model.tensors()) {
    const auto data = model.data(tensor);
    REQUIRE(data);
    if (tensor.size > 0) {
      [[maybe_unused]] volatile std::byte sum = (*data)[0] ^ (*data)[tensor.size - 1];
    }
  }
}

void check_message(const Json& row, const Error& error) {
  const std::string text = error.text();
  INFO(text);
  bool names_one = !row.contains("message_names");
  for (const auto& name : row.value("message_names", Json::array())) {
    names_one = names_one || text.find(name.get<std::string>()) != std::string::npos;
  }
  CHECK(names_one);
  if (row.contains("offset"))
    CHECK(text.find(std::to_string(row["offset"].get<uint64_t>())) != std::string::npos);
  for (const char c : text) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
}

TEST_CASE("the malformed corpus is refused, accepted and described as its index says", "[gguf]") {
  APRX_REQUIRE_SHARED(shared);
  GgufFixture fixture;
  const std::filesystem::path corpus = shared / "corpora" / "malformed_gguf";
  REQUIRE(shell("tar -xf '" + (corpus / "files.tar.xz").string() + "' -C '" + fixture.folder.path().string() +
                "'") == 0);
  const std::filesystem::path good = fixture.folder / "good.gguf";
  REQUIRE(fixture.host.registry().open_model(good));

  std::ifstream index(corpus / "index.jsonl");
  size_t refused = 0;
  size_t cases = 0;
  for (std::string line; std::getline(index, line); ++cases) {
    const Json row = Json::parse(line);
    const std::string name = row["name"];
    INFO(name);
    std::filesystem::path folder = fixture.folder.path();
    if (row.contains("make")) {
      folder /= "made-" + name;
      std::filesystem::create_directory(folder);
      REQUIRE(shell("cd '" + folder.string() + "' && GOOD='" + good.string() + "' && " +
                    row["make"].get<std::string>()) == 0);
    }
    const OrdinaryUser user;
    auto file = fixture.host.registry().open_model(folder / row["open"].get<std::string>());
    const bool must_refuse = is_ours(row) && row["verdict"] == "refuse";
    const bool must_open = row["verdict"] == "accept" || !is_ours(row);
    if (must_refuse) {
      REQUIRE_FALSE(file);
      CHECK(file.error().code == ErrorCode::kBadFile);
      check_message(row, file.error());
      ++refused;
    }
    if (must_open) {
      INFO((file ? "" : file.error().text()));
      REQUIRE(file);
    }
    if (file) walk(**file);
  }
  CHECK(cases == 174);
  CHECK(refused == 76);
}

}  // namespace
}  // namespace aprx::test
