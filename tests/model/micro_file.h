// Small files in memory: a qwen35 model of two layers, one delta net and one attention, and a llama
// model of one layer. Tests change them before building.
#pragma once

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/model/build_graph.h"
#include "runtime/model/description_set.h"

namespace aprx::test {

struct MicroFile {
  std::string architecture;
  std::map<std::string, Fact> facts;  // without the architecture's prefix
  std::map<std::string, std::vector<int64_t>> tensors;

  [[nodiscard]] FileFacts file() const {
    FileFacts out("micro.gguf", "gguf");
    out.add_fact("general.architecture", {"string", false, {Scalar(architecture)}});
    for (const auto& [key, fact] : facts) out.add_fact(architecture + "." + key, fact);
    for (const auto& [name, shape] : tensors)
      out.add_tensor({name, DType::kF16, DTypeStatus::kKnown, 1, "F16", shape});
    return out;
  }
  void set(const std::string& key, int64_t value) { facts[key] = {"uint32", false, {Scalar(value)}}; }
  void set(const std::string& key, double value) { facts[key] = {"float32", false, {Scalar(value)}}; }
  void set_text(const std::string& key, const std::string& value) {
    facts[key] = {"string", false, {Scalar(value)}};
  }
  void set_list(const std::string& key, std::vector<Scalar> values) {
    facts[key] = {"array", true, std::move(values)};
  }
};

inline void add_attention_layer(MicroFile& file, int64_t layer) {
  const std::string blk = "blk." + std::to_string(layer) + ".";
  file.tensors.insert({{blk + "attn_norm.weight", {32}},
                       {blk + "post_attention_norm.weight", {32}},
                       {blk + "attn_q.weight", {64, 32}},
                       {blk + "attn_k.weight", {16, 32}},
                       {blk + "attn_v.weight", {16, 32}},
                       {blk + "attn_output.weight", {32, 32}},
                       {blk + "attn_q_norm.weight", {16}},
                       {blk + "attn_k_norm.weight", {16}},
                       {blk + "ffn_gate.weight", {64, 32}},
                       {blk + "ffn_up.weight", {64, 32}},
                       {blk + "ffn_down.weight", {32, 64}}});
}

inline void add_delta_layer(MicroFile& file, int64_t layer) {
  const std::string blk = "blk." + std::to_string(layer) + ".";
  file.tensors.insert({{blk + "attn_norm.weight", {32}},
                       {blk + "post_attention_norm.weight", {32}},
                       {blk + "attn_qkv.weight", {64, 32}},
                       {blk + "attn_gate.weight", {32, 32}},
                       {blk + "ssm_conv1d.weight", {64, 4}},
                       {blk + "ssm_dt.bias", {2}},
                       {blk + "ssm_a", {2}},
                       {blk + "ssm_beta.weight", {2, 32}},
                       {blk + "ssm_alpha.weight", {2, 32}},
                       {blk + "ssm_norm.weight", {16}},
                       {blk + "ssm_out.weight", {32, 32}},
                       {blk + "ffn_gate.weight", {64, 32}},
                       {blk + "ffn_up.weight", {64, 32}},
                       {blk + "ffn_down.weight", {32, 64}}});
}

inline MicroFile micro_qwen35() {
  MicroFile file{"qwen35", {}, {{"token_embd.weight", {272, 32}}, {"output_norm.weight", {32}}}};
  const std::pair<const char*, int64_t> integers[] = {{"block_count", 2},
                                                      {"embedding_length", 32},
                                                      {"feed_forward_length", 64},
                                                      {"attention.head_count", 2},
                                                      {"attention.head_count_kv", 1},
                                                      {"attention.key_length", 16},
                                                      {"attention.value_length", 16},
                                                      {"rope.dimension_count", 8},
                                                      {"full_attention_interval", 2},
                                                      {"ssm.conv_kernel", 4},
                                                      {"ssm.state_size", 16},
                                                      {"ssm.group_count", 1},
                                                      {"ssm.time_step_rank", 2},
                                                      {"ssm.inner_size", 32}};
  for (const auto& [key, value] : integers) file.set(key, value);
  file.set("attention.layer_norm_rms_epsilon", 1e-6);
  file.set("rope.freq_base", 10000.0);
  add_delta_layer(file, 0);
  add_attention_layer(file, 1);
  return file;
}

inline MicroFile micro_llama() {
  MicroFile file{"llama", {}, {{"token_embd.weight", {100, 32}}, {"output_norm.weight", {32}}}};
  const std::pair<const char*, int64_t> integers[] = {
      {"block_count", 1}, {"embedding_length", 32}, {"feed_forward_length", 48}, {"attention.head_count", 4}};
  for (const auto& [key, value] : integers) file.set(key, value);
  file.set("attention.layer_norm_rms_epsilon", 1e-5);
  file.tensors.insert({{"blk.0.attn_norm.weight", {32}},
                       {"blk.0.ffn_norm.weight", {32}},
                       {"blk.0.attn_q.weight", {32, 32}},
                       {"blk.0.attn_k.weight", {32, 32}},
                       {"blk.0.attn_v.weight", {32, 32}},
                       {"blk.0.attn_output.weight", {32, 32}},
                       {"blk.0.ffn_gate.weight", {48, 32}},
                       {"blk.0.ffn_up.weight", {48, 32}},
                       {"blk.0.ffn_down.weight", {32, 48}}});
  return file;
}

// The descriptions of the source tree. A broken one throws, which fails the test with its message.
inline const DescriptionSet& descriptions() {
  static const DescriptionSet kSet = [] {
    auto set = DescriptionSet::load({std::filesystem::path(APRX_SOURCE_DIR) / "plugins" / "models"});
    if (!set) throw std::runtime_error(set.error().text());
    return *std::move(set);
  }();
  return kSet;
}

inline Result<BuiltGraph> build(const FileFacts& file) {
  const auto description = descriptions().select(file);
  if (!description) return description.error();
  return build_graph(**description, file, {128, DType::kF16});
}

inline Result<BuiltGraph> build(const MicroFile& file) { return build(file.file()); }

// The message of a build that must fail; "" if it didn't.
inline std::string refusal(const MicroFile& file) {
  const auto built = build(file);
  return built ? "" : built.error().text();
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace aprx::test
