#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "micro_file.h"

using namespace aprx;
using namespace aprx::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a layer with the tensors of two kinds is refused by name") {
  MicroFile file = micro_qwen35();
  add_attention_layer(file, 0);
  CHECK_THAT(refusal(file),
             ContainsSubstring("micro.gguf: layer 0: is linear by blk.0.ssm_a and full by "
                               "blk.0.attn_q.weight, expected the tensors of exactly one kind of layer"));
}

TEST_CASE("a layer with the tensors of no kind is refused by name") {
  MicroFile file = micro_qwen35();
  file.tensors.erase("blk.0.ssm_a");
  CHECK_THAT(refusal(file), ContainsSubstring("layer 0: is of no kind: linear lacks blk.0.ssm_a, full lacks "
                                              "blk.0.attn_q.weight"));
}

TEST_CASE("the tensors decide irregular patterns, and metadata that disagrees is told once a key") {
  MicroFile file = micro_qwen35();
  file.set("block_count", int64_t{5});
  add_attention_layer(file, 2);
  add_delta_layer(file, 3);
  add_attention_layer(file, 4);
  const auto built = build(file);
  REQUIRE(built.ok());
  CHECK(built->layer_kinds == std::vector<std::string>{"linear", "full", "full", "linear", "full"});
  CHECK(built->warnings ==
        std::vector<std::string>{
            "qwen35.full_attention_interval disagrees with the tensors, which decide: layer 2 is "
            "full, not linear, layer 3 is linear, not full, layer 4 is full, not linear"});

  file.facts.erase("full_attention_interval");
  CHECK(build(file)->warnings.empty());
  file.set_list("attention.recurrent_layers", {true, false, false, true, true});
  CHECK(build(file)->warnings ==
        std::vector<std::string>{"qwen35.attention.recurrent_layers disagrees with the tensors, which "
                                 "decide: layer 4 is full, not linear"});
  file.set_list("attention.recurrent_layers", {true, false});
  CHECK(build(file)->warnings ==
        std::vector<std::string>{"qwen35.attention.recurrent_layers is not used: it has 2 items"});
}

TEST_CASE("an interval of one is a warning, of zero a refusal") {
  MicroFile file = micro_qwen35();
  file.set("full_attention_interval", int64_t{1});
  CHECK(build(file)->warnings ==
        std::vector<std::string>{"qwen35.full_attention_interval disagrees with the tensors, which decide: "
                                 "layer 0 is linear, not full"});
  file.set("full_attention_interval", int64_t{0});
  CHECK_THAT(refusal(file),
             ContainsSubstring("qwen35.full_attention_interval: is not usable: 0 > 0 is false"));
}

TEST_CASE("kinds by period and by key") {
  const std::string head =
      R"({"architecture": "toy", "tensors": {"model": {"tok": ["#tok.0", "8"], "norm": ["8"]}},
    "layers": "3", "embed": [{"op": "embed", "in": "ids", "table": "tok", "out": "x"}],
    "layer": [{"op": "scale", "in": "x", "factor": {"kind": {"global": "2", "local": "1"}}, "out": "x"}],
    "head": [{"op": "logits", "in": "x", "norm": "norm", "eps": "0.1", "w": "tok", "out": "y"}],
    "schemes": {"gguf": {"names": {"tok": "tok", "norm": "norm"}}}, "kinds": )";
  const auto kinds_of = [&](const std::string& rule, MicroFile file) {
    file.tensors = {{"norm", {8}}, {"tok", {5, 8}}};
    const auto description = Description::parse(head + rule + "}", "toy.json");
    if (!description) return std::vector<std::string>{description.error().text()};
    const auto built = build_graph(*description, file.file(), {16, DType::kF16});
    return built ? built->layer_kinds : std::vector<std::string>{built.error().text()};
  };
  using Kinds = std::vector<std::string>;
  MicroFile file{"toy", {}, {}};
  const std::string period = R"({"every": "@period | 2", "last": "global", "rest": "local"})";
  CHECK(kinds_of(period, file) == Kinds{"local", "global", "local"});
  file.set("period", int64_t{3});
  CHECK(kinds_of(period, file) == Kinds{"local", "local", "global"});
  file.set("period", int64_t{0});
  CHECK(kinds_of(period, file) ==
        Kinds{"micro.gguf: toy.period: is no period of layers (toy.period=0), expected 1 or more"});
  const std::string key = R"({"key": "@is_local[i]", "values": {"true": "local", "false": "global"}})";
  CHECK(kinds_of(key, file) == Kinds{"micro.gguf: toy.is_local: is missing"});
  file.set_list("is_local", {false, true, false});
  CHECK(kinds_of(key, file) == Kinds{"global", "local", "global"});
  file.set_list("is_local", {int64_t{2}, true, false});
  CHECK(kinds_of(key, file) == Kinds{"micro.gguf: toy.is_local: names no kind of layer (toy.is_local[0]=2)"});
}
