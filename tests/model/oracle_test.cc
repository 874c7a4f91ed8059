// Both descriptions against every file of the test pack that they are for.
#include <catch2/catch_test_macros.hpp>

#include "file_source.h"
#include "graph_check.h"
#include "micro_file.h"
#include "runtime/model/print_graph.h"
#include "tests/support/shared.h"

using namespace aprx;
using namespace aprx::test;

namespace {

uint64_t values_of(const ModelFile& file) {
  uint64_t total = 0;
  for (const FileTensor& tensor : file.tensors()) {
    uint64_t values = 1;
    for (const int64_t axis : tensor.shape) values *= static_cast<uint64_t>(axis);
    total += values;
  }
  return total;
}

// One path for each model below `folder`; of a model in several files, the first.
std::vector<std::filesystem::path> models_below(const std::filesystem::path& folder,
                                                const std::string& prefix) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || entry.path().extension() != ".gguf") continue;
    if (name.find("-of-") == std::string::npos || name.find("-00001-of-") != std::string::npos)
      out.push_back(entry.path());
  }
  return out;
}

void check_model(FileSource& source, const std::filesystem::path& path) {
  INFO(path);
  const auto file = source.open(path);
  REQUIRE(file.ok());
  const auto built = build(facts_of(**file));
  if (!built) FAIL(built.error().text());
  CHECK(built->warnings.empty());
  CHECK(built->parameters == values_of(**file));
  CHECK(static_cast<uint64_t>(built->vocabulary) == (*file)->find("tokenizer.ggml.tokens")->count);
  for (const BoundTensor& bound : built->bound)
    CHECK(built->graph.tensor(bound.tensor).name == (*file)->tensors()[bound.file_tensor].name);
  CHECK(graph_mistake(built->graph) == "");
  CHECK(graph_mistake(expanded(built->graph)) == "");
  CHECK(shape_mistake(expanded(built->graph)) == "");
}

}  // namespace

TEST_CASE("every qwen35, llama and mistral file of the oracle: all tensors claimed, all shapes proven") {
  APRX_REQUIRE_SHARED(shared);
  FileSource source;
  size_t count = 0;
  for (const char* prefix : {"qwen35-", "llama-", "mistral-", "mixtral-"}) {
    const auto paths = models_below(shared / "oracle" / "gguf", prefix);
    CHECK_FALSE(paths.empty());
    count += paths.size();
    for (const auto& path : paths) check_model(source, path);
  }
  CHECK(count >= 36);
}

TEST_CASE("the demo model builds") {
  FileSource source;
  check_model(source, std::filesystem::path(APRX_SOURCE_DIR) / "models" / "aprx-tiny-qwen35-UD-Q4_K_M.gguf");
}

TEST_CASE("draft blocks of a real file are left out of the graph") {
  APRX_REQUIRE_SHARED(shared);
  FileSource source;
  const auto file = source.open(shared / "oracle/gguf/qwen35-mtp/qwen35-mtp-Q4_K_M.gguf");
  REQUIRE(file.ok());
  const auto built = build(facts_of(**file));
  REQUIRE(built.ok());
  CHECK(built->layer_kinds == std::vector<std::string>{"linear", "full", "linear", "full"});
  for (const Tensor& tensor : built->graph.tensors()) CHECK_FALSE(tensor.name.starts_with("blk.4."));
}

TEST_CASE("an architecture without a description is refused once, with the known ones") {
  APRX_REQUIRE_SHARED(shared);
  FileSource source;
  for (const char* name : {"gemma3-tiny", "mamba-tiny", "qwen35moe-tiny", "qwen3next-tiny"}) {
    for (const auto& path : models_below(shared / "oracle" / "gguf", name)) {
      INFO(path);
      const auto file = source.open(path);
      REQUIRE(file.ok());
      const auto built = build(facts_of(**file));
      REQUIRE_FALSE(built.ok());
      CHECK(built.error().code == ErrorCode::kCapability);
      CHECK(built.error().subject == "general.architecture");
      CHECK(built.error().expected == "one of llama, qwen35");
    }
  }
}
