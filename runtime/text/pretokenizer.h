// Cuts text into the words that byte-level BPE works on, by the regular expressions of a model family.
//
// A rule set is one row of the table in pretokenizer.cc, named as tokenizer.ggml.pre names it.
// Thread-safe once made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace aprx {

// What besides the expressions belongs to a family.
struct PretokenizerTraits {
  bool nfc;          // text is put into NFC, unless the file says otherwise
  bool whole_words;  // a word that is a token as a whole is that token, whatever the merges say
  bool add_bos;      // BOS starts a text, unless the file says otherwise
};

class Pretokenizer {
 public:
  // `name` is the value of tokenizer.ggml.pre.
  // Errors: kCapability for a name that is not known, listing those that are.
  static Result<std::unique_ptr<Pretokenizer>> create(std::string_view name);

  Pretokenizer(const Pretokenizer&) = delete;
  Pretokenizer& operator=(const Pretokenizer&) = delete;
  ~Pretokenizer();

  [[nodiscard]] const PretokenizerTraits& traits() const;

  // The words of `text`, which must be valid UTF-8; they view `text`, cover all of it and are never empty.
  // Errors: kLimit where the expression engine gives up.
  [[nodiscard]] Result<std::vector<std::string_view>> split(std::string_view text) const;

 private:
  struct Rules;
  explicit Pretokenizer(std::unique_ptr<Rules> rules);
  std::unique_ptr<Rules> rules_;
};

}  // namespace aprx
