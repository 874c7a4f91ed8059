// Ids to text as they come, whole characters only.
//
// All characters that are complete are given at once. A tail that may still become a character is kept;
// bytes that can never become one are a single U+FFFD for each maximal part, as soon as that is known.
// Control tokens give nothing with `skip_special`, else their spelling; either way they do not cut a
// character in two. Where encoding puts a space before a text, one at the very start is dropped.
// All that was pushed and flushed, joined, is the decoded sequence. One object serves one sequence; not
// thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/text/tokenizer.h"

namespace aprx {

class Detokenizer {
 public:
  // `tokenizer` must outlive this object.
  Detokenizer(const Tokenizer& tokenizer, bool skip_special);

  // The text that `id` completes, valid UTF-8, often empty. Precondition: tokenizer.contains(id).
  [[nodiscard]] std::string push(int32_t id);

  // Ends the sequence: what was kept back, as one U+FFFD, or nothing.
  [[nodiscard]] std::string flush();

 private:
  [[nodiscard]] std::string bytes_of(int32_t id);

  const Tokenizer& tokenizer_;
  bool skip_special_;
  bool at_start_ = true;
  std::string kept_;  // a truncated character
};

}  // namespace aprx
