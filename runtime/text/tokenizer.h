// A model's tokenizer: text to ids and ids to text, as the model's publisher does it.
//
// Made once from a file's vocabulary, then immutable and thread-safe. Ids are indices of
// tokenizer.ggml.tokens; where two tokens have the same text, encoding gives the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "runtime/text/vocabulary.h"

namespace aprx {

struct EncodeOptions {
  bool parse_special = false;  // control tokens in the text are tokens: for rendered chat templates only
  bool parse_added = true;     // user-defined tokens in the text are tokens
  bool add_special = false;    // add BOS and EOS where the file asks for them
};

class Tokenizer {
 public:
  // Errors, with the metadata key in `subject`: kBadFile for a vocabulary that is damaged or incomplete,
  // kCapability for a kind of tokenizer or pre-tokenizer that is not known.
  static Result<std::unique_ptr<Tokenizer>> create(VocabularySource source);

  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  ~Tokenizer();

  // The ids of `bytes`. Bytes that are not UTF-8 count as U+FFFD, one for each maximal part.
  // Errors: kLimit for more than 64 MiB; kBadFile for a byte that the vocabulary has no token for.
  [[nodiscard]] Result<std::vector<int32_t>> encode(std::string_view bytes,
                                                    const EncodeOptions& options = {}) const;

  [[nodiscard]] size_t size() const;

  // True for 0 <= id < size(), the precondition of the calls below.
  [[nodiscard]] bool contains(int32_t id) const;

  // The token as the file spells it: for chat templates (BOS, EOS) and for showing a vocabulary.
  [[nodiscard]] std::string_view text(int32_t id) const;

  // What the token stands for in a text; may be part of a character. Control tokens give their spelling,
  // unused ones nothing.
  [[nodiscard]] std::string bytes(int32_t id) const;

  // Control and unknown tokens: those that `skip_special` leaves out of a text.
  [[nodiscard]] bool is_control(int32_t id) const;
  [[nodiscard]] bool is_end_of_generation(int32_t id) const;

  [[nodiscard]] std::optional<int32_t> bos() const;
  [[nodiscard]] std::optional<int32_t> eos() const;

  // True if the space that starts a decoded text was added by encoding.
  [[nodiscard]] bool drops_first_space() const;

 private:
  struct Parts;
  explicit Tokenizer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace aprx
