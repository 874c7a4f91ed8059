// Finds the tokens that are looked for in the text itself, before any model sees it.
//
// At each position the longest match wins, positions from left to right. Thread-safe once made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/text/vocabulary.h"

namespace aprx {

// One stretch of a text: a token that was found, or text between such tokens.
struct TextSegment {
  std::string_view text;  // never empty
  int32_t id;             // -1: plain text
};

class SpecialTokens {
 public:
  // Which kinds are looked for.
  struct Kinds {
    bool control;       // kControl and kUnknown
    bool user_defined;  // kUserDefined
  };

  // `vocabulary` must outlive this object.
  explicit SpecialTokens(const Vocabulary& vocabulary);

  // The segments of `text`, in order; they view `text` and cover all of it.
  [[nodiscard]] std::vector<TextSegment> split(std::string_view text, Kinds kinds) const;

 private:
  struct Entry {
    std::string_view text;
    int32_t id;
    bool is_control;
  };

  [[nodiscard]] const Entry* longest_at(std::string_view text, size_t at, Kinds kinds) const;

  std::vector<Entry> entries_;         // by text, then id
  std::array<bool, 256> starts_ = {};  // bytes that some entry starts with
};

}  // namespace aprx
