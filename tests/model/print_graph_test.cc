#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "micro_file.h"
#include "runtime/model/print_graph.h"

using namespace aprx;
using namespace aprx::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a graph prints one line a node") {
  const auto built = build(micro_llama());
  REQUIRE(built.ok());
  const std::string text = graph_text(built->graph);
  CHECK(std::ranges::count(text, '\n') == static_cast<std::ptrdiff_t>(built->graph.nodes().size()));
  CHECK_THAT(text,
             ContainsSubstring(
                 "embed  embed  ids=ids I32 [tokens]  table=token_embd.weight F16 [100, 32]  scale=1  ->  "
                 "y=embed.embed.y F32 [tokens, 32]\n"));
  CHECK_THAT(text, ContainsSubstring("k_cache=blk.0.self_attention.k_cache F16 [128, 4, 8]"));
  CHECK_THAT(text, ContainsSubstring("style=interleaved"));
  CHECK(std::ranges::count(graph_text(expanded(built->graph)), '\n') == 20);
}

TEST_CASE("a graph as JSON") {
  const auto built = build(micro_llama());
  REQUIRE(built.ok());
  const auto json = nlohmann::json::parse(graph_json(built->graph));
  REQUIRE(json["nodes"].size() == built->graph.nodes().size());
  const auto& logits = json["nodes"].back();
  CHECK(logits["label"] == "head");
  CHECK(logits["op"] == "logits");
  CHECK(logits["attributes"]["eps"] == 1e-5);
  CHECK(logits["outputs"][0]["shape"] == nlohmann::json{"rows", 100});
  CHECK(json["nodes"][2]["attributes"]["style"] == "interleaved");
  CHECK(json["nodes"][2]["inputs"].back()["kind"] == "state");
}

TEST_CASE("control characters in a file's names are escaped") {
  Graph graph;
  graph.ids = graph.add_input("ids", kTokensDim);
  const TensorId table = graph.add_weight("bad\x1b[2J", DType::kF32, {4, 4}, APRX_WEIGHT);
  graph.add_node({Op::kEmbed, "embed", {{Role::kTable, table, false}}, {}});
  CHECK_THAT(graph_text(graph), ContainsSubstring("bad\\x1b[2J"));
  CHECK_THAT(graph_json(graph), ContainsSubstring("bad\\\\x1b[2J"));
}
