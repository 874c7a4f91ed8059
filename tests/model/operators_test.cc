// Every composite's decomposition, down to primitives, on graphs that use all of them.
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "graph_check.h"
#include "micro_file.h"
#include "runtime/model/print_graph.h"

using namespace aprx;
using namespace aprx::test;

namespace {

std::map<std::string, int> count_ops(const Graph& graph) {
  std::map<std::string, int> out;
  for (const Node& node : graph.nodes()) ++out[std::string(op_name(node.op))];
  return out;
}

MicroFile llama_with_biases() {
  MicroFile file = micro_llama();
  file.set("attention.head_count_kv", int64_t{2});
  file.tensors["blk.0.attn_k.weight"] = {16, 32};
  file.tensors["blk.0.attn_v.weight"] = {16, 32};
  file.tensors["blk.0.attn_q.bias"] = {32};
  file.tensors["blk.0.attn_output.bias"] = {32};
  file.tensors["rope_freqs.weight"] = {4};
  return file;
}

}  // namespace

TEST_CASE("the composites of qwen35 expand to primitives whose shapes agree") {
  const auto built = build(micro_qwen35());
  REQUIRE(built.ok());
  CHECK(graph_mistake(built->graph) == "");
  CHECK(shape_mistake(built->graph) == "");
  const Graph primitives = expanded(built->graph);
  CHECK(graph_mistake(primitives) == "");
  CHECK(shape_mistake(primitives) == "");
  CHECK(count_ops(primitives) == std::map<std::string, int>{{"embed", 1},
                                                            {"rms_norm", 7},
                                                            {"linear", 16},
                                                            {"causal_conv1d", 1},
                                                            {"l2_norm", 2},
                                                            {"delta_gate", 1},
                                                            {"gated_delta_rule", 1},
                                                            {"gated_rms_norm", 1},
                                                            {"add", 4},
                                                            {"glu", 2},
                                                            {"rope", 2},
                                                            {"kv_store", 1},
                                                            {"attention", 1},
                                                            {"unary", 1},
                                                            {"mul", 1},
                                                            {"take_rows", 1}});
}

TEST_CASE("the composites of llama expand to primitives whose shapes agree") {
  for (const MicroFile& file : {micro_llama(), llama_with_biases()}) {
    const auto built = build(file);
    REQUIRE(built.ok());
    CHECK(graph_mistake(built->graph) == "");
    CHECK(shape_mistake(built->graph) == "");
    const Graph primitives = expanded(built->graph);
    CHECK(graph_mistake(primitives) == "");
    CHECK(shape_mistake(primitives) == "");
    CHECK(count_ops(primitives)["linear"] == 8);
    CHECK(count_ops(primitives)["rms_norm"] == 3);
    CHECK(count_ops(primitives)["unary"] == 0);
  }
}

TEST_CASE("an expanded graph still ends in the same logits") {
  const auto built = build(micro_llama());
  REQUIRE(built.ok());
  const Graph primitives = expanded(built->graph);
  CHECK(primitives.logits == built->graph.logits);
  CHECK(primitives.nodes().back().find(Role::kY) == primitives.logits);
}
