// The malformed files of the test pack: each that must be refused has a gate that doesn't hold.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/check/check_fixture.h"
#include "tests/support/shared.h"

namespace aprx::test {
namespace {

using Json = nlohmann::json;

// Not looked at: faults that show only when a template is rendered, paths that aren't files, and what may be
// accepted as well; but damaged texts of tokens are a finding.
bool is_left_out(const Json& row) {
  const bool is_token_case = row["name"].get<std::string>().starts_with("token_");
  return row.contains("make") || row["stage"] == "render" || (row["verdict"] == "either" && !is_token_case);
}

std::string findings_text(const ModelCheck& check) {
  std::string out;
  for (const Gate& gate : check.gates) {
    for (const Error& finding : gate.findings) out += finding.text() + "\n";
  }
  return out;
}

bool names_one(const Json& row, const std::string& text) {
  for (const auto& name : row["message_names"]) {
    if (text.find(name.get<std::string>()) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every malformed file has a broken gate that names what is wrong", "[check]") {
  APRX_REQUIRE_SHARED(shared);
  CheckFixture fixture;
  const std::filesystem::path corpus = shared / "corpora" / "malformed_gguf";
  const std::string unpack =
      "tar -xf '" + (corpus / "files.tar.xz").string() + "' -C '" + fixture.folder.path().string() + "'";
  REQUIRE(std::system(unpack.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe)
  std::ifstream index(corpus / "index.jsonl");
  size_t broken_files = 0;
  size_t good_files = 0;
  for (std::string line; std::getline(index, line);) {
    const Json row = Json::parse(line);
    if (is_left_out(row)) continue;
    INFO(row["name"] << ": " << row["wrong"]);
    const ModelCheck check = fixture.check(fixture.folder / row["open"].get<std::string>());
    const std::string text = findings_text(check);
    INFO(outcomes(check) << "\n" << text);
    if (row["verdict"] == "accept") {
      CHECK_FALSE(verdict(check));
      ++good_files;
      continue;
    }
    CHECK(verdict(check));
    CHECK(names_one(row, text));
    ++broken_files;
  }
  CHECK(broken_files == 135);
  CHECK(good_files == 8);
}

}  // namespace aprx::test
