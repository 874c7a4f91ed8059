// A llama model of one layer with a vocabulary of bytes: whole in every respect until a test changes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/text/byte_alphabet.h"
#include "tests/support/gguf_writer.h"

namespace aprx::test {

struct SmallModel {
  static constexpr uint32_t kF32 = 0;

  std::string architecture = "llama";
  std::vector<std::string> tokens;  // the 256 bytes, then <|end|>
  std::vector<int32_t> types;
  std::vector<std::string> merges;
  uint32_t eos = 256;
  std::optional<std::string> chat_template;
  std::map<std::string, GgufTensor> tensors;  // all F32 zeros

  SmallModel() {
    tokens.assign(byte_characters().begin(), byte_characters().end());
    tokens.emplace_back("<|end|>");
    types.assign(tokens.size(), 1);
    types.back() = 3;
    const std::string blk = "blk.0.";
    add("token_embd.weight", {32, 257});
    add("output_norm.weight", {32});
    add(blk + "attn_norm.weight", {32});
    add(blk + "ffn_norm.weight", {32});
    for (const char* part : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
      add(blk + part + ".weight", {32, 32});
    }
    add(blk + "ffn_gate.weight", {32, 48});
    add(blk + "ffn_up.weight", {32, 48});
    add(blk + "ffn_down.weight", {48, 32});
  }

  void add(const std::string& name, std::vector<uint64_t> dims) {
    uint64_t elements = 1;
    for (const uint64_t dim : dims) elements *= dim;
    tensors[name] = {name, std::move(dims), kF32, std::string(4 * elements, '\0')};
  }

  // Sets value number `index` of a tensor.
  void set(const std::string& name, size_t index, float value) {
    tensors.at(name).data.replace(4 * index, 4, little_endian(value));
  }

  [[nodiscard]] GgufWriter writer() const {
    GgufWriter writer;
    writer.set_text("general.architecture", architecture);
    const std::string prefix = architecture + ".";
    writer.set_u32(prefix + "block_count", 1).set_u32(prefix + "embedding_length", 32);
    writer.set_u32(prefix + "feed_forward_length", 48).set_u32(prefix + "attention.head_count", 4);
    writer.set(prefix + "attention.layer_norm_rms_epsilon", GgufType::kFloat32, little_endian(1e-5F));
    writer.set_text("tokenizer.ggml.model", "gpt2").set_text("tokenizer.ggml.pre", "gpt-2");
    writer.set("tokenizer.ggml.tokens", GgufType::kArray, gguf_texts(tokens));
    writer.set("tokenizer.ggml.merges", GgufType::kArray, gguf_texts(merges));
    std::vector<std::string> numbers;
    for (const int32_t type : types) numbers.push_back(little_endian(type));
    writer.set("tokenizer.ggml.token_type", GgufType::kArray, gguf_array(GgufType::kInt32, numbers));
    writer.set_u32("tokenizer.ggml.eos_token_id", eos);
    if (chat_template) writer.set_text("tokenizer.chat_template", *chat_template);
    for (const auto& [name, tensor] : tensors) writer.add(tensor);
    return writer;
  }
};

}  // namespace aprx::test
