// Every render of the corpus: 47 real templates, as transformers renders them.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/shared.h"
#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

using Json = nlohmann::ordered_json;

std::string unpacked(const std::filesystem::path& path) {
  FILE* pipe = popen(("gzip -dc '" + path.string() + "'").c_str(), "r");  // NOLINT(cert-env33-c)
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 1 << 16> buffer;
  for (size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), count);
  REQUIRE(pclose(pipe) == 0);
  return out;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

ChatTemplate::Inputs inputs_of(const Json& row) {
  ChatTemplate::Inputs inputs;
  inputs.messages = row.at("messages");
  inputs.tools = row.at("tools");
  inputs.variables = row.at("vars");
  inputs.add_generation_prompt = row.value("add_generation_prompt", false);
  inputs.continue_final_message = row.value("continue_final_message", false);
  inputs.now = row.at("now").get<std::string>();
  return inputs;
}

// The text of a raise_exception, without the name of Python's exception.
std::string raised_message(const Json& row) {
  const auto error = row.at("error").get<std::string>();
  return error.substr(error.find(": ") + 2);
}

void check_row(const Json& row, const Result<std::string>& out) {
  const std::string kind = row.value("error_kind", "");
  INFO(row.at("template") << " " << row.at("case"));
  if (kind.empty()) {
    if (!out.ok()) FAIL(out.error().text());
    const bool is_other = row.contains("also") && *out == row.at("also").get<std::string>();
    if (!is_other) CHECK(*out == row.at("expected").get<std::string>());
    return;
  }
  if (kind == "engine") return;  // Jinja itself fails there; a sensible render is as good
  REQUIRE_FALSE(out.ok());
  CHECK(out.error().subject == "tokenizer.chat_template");
  if (kind == "raise") CHECK(out.error().found.ends_with("the template refuses: " + raised_message(row)));
}

}  // namespace

TEST_CASE("every render of the corpus is what transformers renders") {
  APRX_REQUIRE_SHARED(shared);
  const std::filesystem::path folder = shared / "corpora" / "chat_templates";
  std::istringstream lines(unpacked(folder / "renders.jsonl.gz"));
  std::map<std::string, ChatTemplate> templates;
  std::map<std::string, int> counts;
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    const auto name = row.at("template").get<std::string>();
    if (!templates.contains(name)) {
      auto parsed = ChatTemplate::parse(file_text(folder / "templates" / name), "tokenizer.chat_template");
      if (!parsed.ok()) FAIL(name << ": " << parsed.error().text());
      templates.emplace(name, *parsed);
    }
    check_row(row, templates.at(name).render(inputs_of(row)));
    ++counts[row.value("error_kind", "render")];
  }
  CHECK(templates.size() == 47);
  CHECK(counts == std::map<std::string, int>{{"render", 865}, {"type", 42}, {"raise", 23}, {"engine", 10}});
}

}  // namespace aprx::test
