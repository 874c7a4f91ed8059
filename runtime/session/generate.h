// From prompt tokens to text: prefill, then one token at a time until something ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/exec/executor.h"
#include "runtime/sample/sampler.h"
#include "runtime/text/tokenizer.h"

namespace aprx {

enum class FinishReason {
  kEndToken,     // the model ended its turn
  kStopString,   // one of GenerateRequest::stops came up
  kMaxTokens,    // as many tokens as were asked for
  kContextFull,  // no room for another token
  kInterrupted,  // the caller's on_text said so, or the host was cancelled
};

// "end_token", "stop_string", "max_tokens", "context_full", "interrupted".
[[nodiscard]] const char* finish_word(FinishReason reason);

struct GenerateRequest {
  std::vector<int32_t> prompt;        // at least one token
  std::optional<int64_t> max_tokens;  // absent: as many as the context holds
  SamplingOptions sampling;
  std::vector<std::string> stops;
};

struct GenerateResult {
  FinishReason reason = FinishReason::kEndToken;
  std::vector<int32_t> tokens;  // generated, the end token included
  std::string stop_string;      // which one, if one ended it
  uint64_t tokens_prefilled = 0;
  uint64_t tokens_decoded = 0;  // tokens run one at a time: what decode_seconds is for
  double prefill_seconds = 0;
  double decode_seconds = 0;
};

// Text that may be shown, whole characters. Returns false to stop.
using OnText = std::function<bool(const std::string& text)>;

// Continues `state` with the prompt. Errors: kLimit if the prompt doesn't fit the context, with the
// figures and the ways out, before anything runs; kBadFile if logits are not finite; those of
// Executor::run but kInterrupted, which is a finish reason.
[[nodiscard]] Result<GenerateResult> generate(Executor& executor, SequenceState& state,
                                              const Tokenizer& tokenizer, const GenerateRequest& request,
                                              const OnText& on_text);

// Runs `tokens` in pieces that the route allows. `logits` (vocabulary values) gets the last token's.
[[nodiscard]] Result<void> prefill(Executor& executor, SequenceState& state, std::span<const int32_t> tokens,
                                   std::span<float> logits);

}  // namespace aprx
