// Turns text without special tokens into ids, and ids into the bytes that they stand for: what a kind of
// tokenizer (tokenizer.ggml.model) is. Implementations are thread-safe once made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "runtime/text/vocabulary.h"

namespace aprx {

// Texts are bounded, far above any model's context, so that stretches of them fit 32 bits even where
// normalization makes them longer, and so that the memory for encoding them is bounded too.
inline constexpr size_t kMaxTextBytes = size_t{64} << 20U;

class FragmentEncoder {
 public:
  FragmentEncoder() = default;
  FragmentEncoder(const FragmentEncoder&) = delete;
  FragmentEncoder& operator=(const FragmentEncoder&) = delete;
  virtual ~FragmentEncoder() = default;

  // `fragment` is valid UTF-8 of at most kMaxTextBytes.
  [[nodiscard]] virtual Result<std::vector<int32_t>> encode(std::string_view fragment) const = 0;

  // The bytes of a text token (kNormal or kByte).
  [[nodiscard]] virtual std::string bytes(int32_t id) const = 0;

  // True if encoding puts a space before each fragment, so that decoding drops the first one.
  [[nodiscard]] virtual bool adds_space() const = 0;

  // Whether BOS starts a text where the file does not say.
  [[nodiscard]] virtual bool adds_bos() const = 0;
};

// The byte that a token text of the form <0xNN> names.
[[nodiscard]] std::optional<uint8_t> named_byte(std::string_view text);

}  // namespace aprx
