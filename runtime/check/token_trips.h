// Whether tokens come back: the text of a token, encoded and decoded again, is that text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/check/check_context.h"
#include "runtime/text/tokenizer.h"

namespace aprx {

struct TokenTrips {
  size_t came_back = 0;
  size_t lost = 0;
  size_t not_checked = 0;   // parts of characters, unused tokens, texts that need the unknown token
  int32_t first_lost = -1;  // its id; -1: none
};

// `types` has one entry a token. A control or user-defined token must be found in a text as itself; any
// other token's text must decode to the same bytes, or to their NFC where the model normalizes, whichever
// tokens it is made of. Ends early when the context is cancelled.
[[nodiscard]] TokenTrips token_trips(const Tokenizer& tokenizer, std::span<const TokenType> types,
                                     const CheckContext& context);

}  // namespace aprx
