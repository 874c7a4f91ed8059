#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/op/operator.h"
#include "micro_file.h"

using namespace aprx;
using namespace aprx::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const Node& node_of(const BuiltGraph& built, Op op) {
  for (const Node& node : built.graph.nodes()) {
    if (node.op == op) return node;
  }
  throw std::runtime_error("no such node");
}

}  // namespace

TEST_CASE("a qwen35 file lowers to composites in order") {
  const auto built = build(micro_qwen35());
  REQUIRE(built.ok());
  std::string ops;
  for (const Node& node : built->graph.nodes()) ops += node.label + ":" + std::string(op_name(node.op)) + " ";
  CHECK(ops ==
        "embed:embed "
        "blk.0:rms_norm blk.0:gated_delta_net blk.0:add blk.0:rms_norm blk.0:gated_mlp blk.0:add "
        "blk.1:rms_norm blk.1:gated_attention blk.1:add blk.1:rms_norm blk.1:gated_mlp blk.1:add "
        "head:logits ");
  CHECK(built->warnings.empty());
  CHECK(built->layer_kinds == std::vector<std::string>{"linear", "full"});
  CHECK(built->vocabulary == 272);
  CHECK(built->graph.tensor(built->graph.ids).name == "ids");
  CHECK(built->graph.tensor(built->graph.positions).name == "positions");
  CHECK(built->graph.tensor(built->graph.rows).name == "rows");
  CHECK(built->graph.tensor(built->graph.logits).shape == std::vector<int64_t>{kRowsDim, 272});
  CHECK(built->graph.context == 128);
}

TEST_CASE("attributes and operands come from the file") {
  const auto built = build(micro_qwen35());
  REQUIRE(built.ok());
  const Node& delta = node_of(*built, Op::kGatedDeltaNet);
  CHECK(delta.integer(Attr::kKHeads) == 1);
  CHECK(delta.integer(Attr::kVHeads) == 2);
  CHECK(delta.integer(Attr::kKDim) == 16);
  CHECK(delta.integer(Attr::kVDim) == 16);
  CHECK(static_cast<Word>(delta.integer(Attr::kHeadMap)) == Word::kTiled);
  CHECK(built->graph.tensor(delta.find(Role::kNegA)).name == "blk.0.ssm_a");
  CHECK(built->graph.tensor(delta.find(Role::kNegA)).kind == APRX_VECTOR);
  CHECK(built->graph.tensor(delta.find(Role::kQkv)).kind == APRX_WEIGHT);
  const Node& attention = node_of(*built, Op::kGatedAttention);
  CHECK(attention.real(Attr::kScale) == 0.25);
  CHECK(attention.integer(Attr::kNRot) == 8);
  CHECK(attention.real(Attr::kBase) == 10000.0);
  CHECK(static_cast<Word>(attention.integer(Attr::kStyle)) == Word::kNeox);
  CHECK(built->graph.tensor(attention.find(Role::kKCache)).shape == std::vector<int64_t>{128, 1, 16});
}

TEST_CASE("a tied head is one tensor, an untied one is its own") {
  MicroFile file = micro_qwen35();
  auto built = build(file);
  REQUIRE(built.ok());
  CHECK(node_of(*built, Op::kLogits).find(Role::kW) == node_of(*built, Op::kEmbed).find(Role::kTable));
  CHECK(built->bound.size() == file.tensors.size());
  file.tensors["output.weight"] = {272, 32};
  built = build(file);
  REQUIRE(built.ok());
  CHECK(built->graph.tensor(node_of(*built, Op::kLogits).find(Role::kW)).name == "output.weight");
  const FileFacts facts = file.file();
  for (const BoundTensor& bound : built->bound)
    CHECK(built->graph.tensor(bound.tensor).name == facts.tensors()[bound.file_tensor].name);
}

TEST_CASE("tensors of draft blocks are known and counted, not run") {
  MicroFile file = micro_qwen35();
  const uint64_t before = build(file)->parameters;
  file.set("block_count", int64_t{3});
  file.set("nextn_predict_layers", int64_t{1});
  add_attention_layer(file, 2);
  file.tensors["blk.2.nextn.eh_proj.weight"] = {32, 64};
  file.tensors["blk.2.nextn.enorm.weight"] = {32};
  file.tensors["blk.2.nextn.hnorm.weight"] = {32};
  const auto built = build(file);
  REQUIRE(built.ok());
  CHECK(built->warnings.empty());
  CHECK(built->layer_kinds.size() == 2);
  CHECK(built->bound.size() == build(micro_qwen35())->bound.size());
  CHECK(built->parameters > before + 32U * 64U);

  file.tensors["blk.2.nextn.eh_proj.weight"] = {32, 63};
  CHECK_THAT(refusal(file), ContainsSubstring("blk.2.nextn.eh_proj.weight: shape [32, 63]"));
  file.facts.erase("nextn_predict_layers");
  CHECK_THAT(refusal(file),
             ContainsSubstring("blk.2.nextn.enorm.weight: belongs to a draft block, but block 2 is a layer"));
  CHECK_THAT(refusal(file), ContainsSubstring("qwen35.nextn_predict_layers is absent"));
}

TEST_CASE("tensors that nothing uses are one warning") {
  MicroFile file = micro_qwen35();
  file.tensors["blk.0.mystery.weight"] = {7};
  CHECK(build(file)->warnings ==
        std::vector<std::string>{
            "tensor blk.0.mystery.weight is not used: no operator of this architecture has a place for it"});
  file.tensors["blk.9.attn_q.weight"] = {7};
  file.tensors["zzz"] = {7};
  CHECK(build(file)->warnings ==
        std::vector<std::string>{"tensor blk.0.mystery.weight and 2 more are not used: no operator of this "
                                 "architecture has a place for them"});
  MicroFile llama = micro_llama();
  llama.tensors["blk.0.attn_rot_embd"] = {4};
  CHECK(build(llama)->warnings.empty());
}

TEST_CASE("a wrong shape names the tensor and the keys behind the expected one") {
  MicroFile file = micro_qwen35();
  file.set("feed_forward_length", int64_t{128});
  CHECK(refusal(file) ==
        "micro.gguf: blk.0.ffn_gate.weight: shape [64, 32], expected [F, E] = [128, 32] by "
        "qwen35.feed_forward_length=128, qwen35.embedding_length=32");
}

TEST_CASE("a false requirement is refused with its values and keys") {
  MicroFile file = micro_qwen35();
  file.set("attention.head_count_kv", int64_t{3});
  CHECK(refusal(file) ==
        "micro.gguf: qwen35.attention.head_count: is not usable: 2 == 0 is false "
        "(qwen35.attention.head_count=2, qwen35.attention.head_count_kv=3), expected H % G == 0");
  file = micro_qwen35();
  // A list with an entry for each layer; that of a delta net means nothing.
  file.set_list("attention.head_count_kv", {int64_t{0}, int64_t{1}});
  CHECK(refusal(file) == "");
  file.set_list("attention.head_count_kv", {int64_t{1}, int64_t{0}});
  CHECK_THAT(refusal(file), ContainsSubstring("qwen35.attention.head_count_kv"));
  file = micro_qwen35();
  file.set_list("rope.dimension_sections", {int64_t{2}, int64_t{2}});
  CHECK(refusal(file) == "micro.gguf: qwen35.rope.dimension_sections: has 2 items, expected at least 3");
  file.set_list("rope.dimension_sections", {int64_t{2}, int64_t{1}, int64_t{1}, int64_t{9}});
  CHECK_THAT(refusal(file), ContainsSubstring("qwen35.rope.dimension_sections"));
  file.set_list("rope.dimension_sections", {int64_t{2}, int64_t{1}, int64_t{1}, int64_t{0}});
  CHECK(refusal(file) == "");
}

TEST_CASE("a number of layers that the tensors don't bear out ends at the first missing one") {
  MicroFile file = micro_qwen35();
  for (const int64_t count : {int64_t{3}, int64_t{1} << 31, INT64_MAX}) {
    file.set("block_count", count);
    CHECK(refusal(file) ==
          "micro.gguf: layer 2: is of no kind: linear lacks blk.2.ssm_a, full lacks blk.2.attn_q.weight, "
          "expected the "
          "tensors of exactly one kind of layer\n  layers are counted by qwen35.block_count=" +
              std::to_string(count) + ", qwen35.nextn_predict_layers is absent");
  }
  MicroFile llama = micro_llama();
  llama.set("block_count", int64_t{1} << 31);
  CHECK(
      refusal(llama) ==
      "micro.gguf: blk.1.attn_norm.weight: is missing\n  layers are counted by llama.block_count=2147483648");
}

TEST_CASE("unknown architectures and tensor types are capability refusals") {
  MicroFile file = micro_qwen35();
  file.architecture = "qwen99";
  auto built = build(file);
  REQUIRE_FALSE(built.ok());
  CHECK(built.error().code == ErrorCode::kCapability);
  CHECK_THAT(built.error().text(),
             ContainsSubstring(
                 "micro.gguf: general.architecture: 'qwen99' is not known, expected one of llama, qwen35"));

  FileFacts facts = micro_qwen35().file();
  facts.add_tensor({"odd", DType::kUnknown, DTypeStatus::kUnknown, 999, "unknown (id 999)", {4}});
  facts.add_tensor({"old", DType::kUnknown, DTypeStatus::kRetired, 4, "Q4_2", {4}});
  built = build(facts);
  REQUIRE_FALSE(built.ok());
  CHECK(built.error().code == ErrorCode::kCapability);
  CHECK_THAT(built.error().text(),
             ContainsSubstring("odd: has type 999, which is not known, and 1 more tensors are alike"));
  CHECK_THAT(built.error().text(), ContainsSubstring("Q4_K"));

  FileFacts other("x.safetensors", "hf");
  other.add_fact("general.architecture", {"string", false, {std::string("llama")}});
  CHECK_THAT(build(other).error().text(), ContainsSubstring("has names of the scheme 'hf'"));
}

TEST_CASE("llama: defaults, biases, factors, windows and scaling") {
  MicroFile file = micro_llama();
  auto built = build(file);
  REQUIRE(built.ok());
  {
    const Node& node = node_of(*built, Op::kSelfAttention);
    CHECK(node.integer(Attr::kKvHeads) == 4);
    CHECK(node.integer(Attr::kHeadDim) == 8);
    CHECK(node.integer(Attr::kNRot) == 8);
    CHECK(node.real(Attr::kBase) == 10000.0);
    CHECK(node.integer(Attr::kWindow) == 0);
    CHECK(static_cast<Word>(node.integer(Attr::kScaling)) == Word::kNone);
    CHECK(static_cast<Word>(node.integer(Attr::kStyle)) == Word::kInterleaved);
    CHECK(node.find(Role::kQBias) == kNoTensor);
    CHECK(node.find(Role::kFactors) == kNoTensor);
  }
  file.tensors["blk.0.attn_q.bias"] = {32};
  file.tensors["rope_freqs.weight"] = {4};
  file.set("attention.sliding_window", int64_t{64});
  file.set_text("rope.scaling.type", "linear");
  file.set("rope.scaling.factor", 4.0);
  built = build(file);
  REQUIRE(built.ok());
  const Node& node = node_of(*built, Op::kSelfAttention);
  CHECK(built->graph.tensor(node.find(Role::kQBias)).name == "blk.0.attn_q.bias");
  CHECK(built->graph.tensor(node.find(Role::kFactors)).name == "rope_freqs.weight");
  CHECK(node.integer(Attr::kWindow) == 64);
  CHECK(static_cast<Word>(node.integer(Attr::kScaling)) == Word::kLinear);
  CHECK(node.real(Attr::kScalingFactor) == 4.0);

  file.set_text("rope.scaling.type", "yarn");
  built = build(file);
  REQUIRE_FALSE(built.ok());
  CHECK(built.error().code == ErrorCode::kCapability);
  CHECK(built.error().text() ==
        "micro.gguf: llama.rope.scaling.type: 'yarn' is not supported (llama.rope.scaling.type=yarn), "
        "expected one of "
        "1, none, linear");
}

TEST_CASE("llama: a file with experts lowers to moe") {
  MicroFile file = micro_llama();
  for (const char* name : {"gate", "up", "down"})
    file.tensors.erase("blk.0.ffn_" + std::string(name) + ".weight");
  file.tensors["blk.0.ffn_gate_inp.weight"] = {4, 32};
  file.tensors["blk.0.ffn_gate_exps.weight"] = {4, 48, 32};
  file.tensors["blk.0.ffn_up_exps.weight"] = {4, 48, 32};
  file.tensors["blk.0.ffn_down_exps.weight"] = {4, 32, 48};
  file.set("expert_count", int64_t{4});
  CHECK(refusal(file) == "micro.gguf: llama.expert_used_count: is missing");
  file.set("expert_used_count", int64_t{2});
  const auto built = build(file);
  REQUIRE(built.ok());
  CHECK(built->warnings.empty());
  CHECK(node_of(*built, Op::kMoe).integer(Attr::kUsed) == 2);
  CHECK(static_cast<Word>(node_of(*built, Op::kMoe).integer(Attr::kScore)) == Word::kSoftmax);
}
