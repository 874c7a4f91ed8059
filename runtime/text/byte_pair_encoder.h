// Byte-level byte-pair encoding: tokenizer.ggml.model "gpt2".
//
// Text is normalized where its family asks for it, cut into words, written in the byte alphabet, and the
// merge of lowest rank is done first. Thread-safe once made.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>

#include "runtime/text/fragment_encoder.h"
#include "runtime/text/merge_list.h"
#include "runtime/text/pretokenizer.h"

namespace aprx {

class BytePairEncoder final : public FragmentEncoder {
 public:
  // `vocabulary` must outlive the encoder; of `source` it reads pre, merges and nfc.
  // Errors: kBadFile (tokenizer.ggml.merges, .tokens, .pre), kCapability for a `pre` that is not known.
  static Result<std::unique_ptr<FragmentEncoder>> create(const Vocabulary& vocabulary,
                                                         const VocabularySource& source);

  [[nodiscard]] Result<std::vector<int32_t>> encode(std::string_view fragment) const override;
  [[nodiscard]] std::string bytes(int32_t id) const override;
  [[nodiscard]] bool adds_space() const override { return false; }
  [[nodiscard]] bool adds_bos() const override { return pretokenizer_->traits().add_bos; }

 private:
  class Words;
  struct Target {
    int32_t rank;
    int32_t id;
  };

  explicit BytePairEncoder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  Result<void> take_bytes();
  Result<void> take_merges(const std::vector<std::string>& merges);

  const Vocabulary& vocabulary_;
  std::unique_ptr<Pretokenizer> pretokenizer_;
  bool nfc_ = false;
  std::array<int32_t, 256> byte_ids_ = {};              // -1: no token
  boost::unordered_flat_map<uint64_t, Target> merges_;  // key: left id, right id
};

}  // namespace aprx
