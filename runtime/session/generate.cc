#include "runtime/session/generate.h"

#include <algorithm>
#include <chrono>

#include "runtime/text/detokenizer.h"
#include "runtime/text/stop_strings.h"

namespace aprx {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

size_t vocabulary_of(const Executor& executor) {
  const Graph& graph = executor.route().graph();
  return static_cast<size_t>(graph.tensor(graph.logits).shape.back());
}

Result<void> check_fits(const Executor& executor, const SequenceState& state, size_t prompt) {
  const int64_t context = executor.route().graph().context;
  const int64_t left = context - state.position();
  if (static_cast<int64_t>(prompt) <= left) return {};
  return Error{ErrorCode::kLimit,
               "",
               "prompt",
               std::to_string(prompt) + " tokens",
               "at most " + std::to_string(left) + " (the context holds " + std::to_string(context) + ")",
               "give a larger context with --ctx, or shorten the prompt"};
}

// One generation: what it has made so far, and whether it goes on.
class Generation {
 public:
  Generation(Executor& executor, SequenceState& state, const Tokenizer& tokenizer,
             const GenerateRequest& request, const OnText& on_text)
      : executor_(executor),
        state_(state),
        tokenizer_(tokenizer),
        request_(request),
        on_text_(on_text),
        sampler_(request.sampling, vocabulary_of(executor)),
        detokenizer_(tokenizer, /*skip_special=*/true),
        stops_(request.stops),
        history_(request.prompt),
        logits_(vocabulary_of(executor)) {}

  Result<GenerateResult> run() {
    const Clock::time_point start = Clock::now();
    if (auto ok = prefill(executor_, state_, request_.prompt, logits_); !ok) return ended(ok.error());
    result_.tokens_prefilled = request_.prompt.size();
    result_.prefill_seconds = seconds_since(start);
    const Clock::time_point decode_start = Clock::now();
    while (true) {
      auto token = next_token();
      if (!token) return ended(token.error());
      if (!*token) break;
      if (auto ok = decode(**token); !ok) return ended(ok.error());
      result_.decode_seconds = seconds_since(decode_start);
    }
    return finish();
  }

 private:
  // An interruption keeps what there is; any other error ends without a result.
  Result<GenerateResult> ended(const Error& error) {
    if (error.code != ErrorCode::kInterrupted) return error;
    result_.reason = FinishReason::kInterrupted;
    return finish();
  }

  Result<GenerateResult> finish() {
    if (!stops_.stopped()) show(detokenizer_.flush());
    if (const std::string rest = stops_.flush(); !rest.empty()) on_text_(rest);
    return std::move(result_);
  }

  bool show(const std::string& text) {
    const std::string shown = stops_.push(text);
    return shown.empty() || on_text_(shown);
  }

  std::optional<int32_t> stop(FinishReason reason) {
    result_.reason = reason;
    return std::nullopt;
  }

  // Samples a token and shows its text; nothing if the generation ends here.
  Result<std::optional<int32_t>> next_token() {
    if (request_.max_tokens && static_cast<int64_t>(result_.tokens.size()) >= *request_.max_tokens) {
      return stop(FinishReason::kMaxTokens);
    }
    auto token = sampler_.sample(logits_, history_);
    if (!token) return token.error();
    result_.tokens.push_back(*token);
    history_.push_back(*token);
    if (tokenizer_.is_end_of_generation(*token)) return stop(FinishReason::kEndToken);
    if (!show(detokenizer_.push(*token))) return stop(FinishReason::kInterrupted);
    if (stops_.stopped()) return stop(FinishReason::kStopString);
    if (state_.position() == executor_.route().graph().context) return stop(FinishReason::kContextFull);
    return std::optional<int32_t>(*token);
  }

  Result<void> decode(int32_t token) {
    if (request_.max_tokens && static_cast<int64_t>(result_.tokens.size()) >= *request_.max_tokens) return {};
    const int32_t row = 0;
    auto ok = executor_.run(state_, std::span(&token, 1), std::span(&row, 1), logits_);
    if (ok) ++result_.tokens_decoded;
    return ok;
  }

  Executor& executor_;
  SequenceState& state_;
  const Tokenizer& tokenizer_;
  const GenerateRequest& request_;
  const OnText& on_text_;
  Sampler sampler_;
  Detokenizer detokenizer_;
  StopStrings stops_;
  std::vector<int32_t> history_;
  std::vector<float> logits_;
  GenerateResult result_;
};

}  // namespace

const char* finish_word(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEndToken: return "end_token";
    case FinishReason::kStopString: return "stop_string";
    case FinishReason::kMaxTokens: return "max_tokens";
    case FinishReason::kContextFull: return "context_full";
    case FinishReason::kInterrupted: return "interrupted";
  }
  return "interrupted";
}

Result<void> prefill(Executor& executor, SequenceState& state, std::span<const int32_t> tokens,
                     std::span<float> logits) {
  const size_t most = executor.route().policy().tokens_max;
  while (!tokens.empty()) {
    const auto piece = tokens.first(std::min(most, tokens.size()));
    tokens = tokens.subspan(piece.size());
    const auto last = static_cast<int32_t>(piece.size() - 1);
    const bool wanted = tokens.empty();
    auto ok =
        executor.run(state, piece, std::span(&last, wanted ? 1 : 0), wanted ? logits : std::span<float>());
    if (!ok) return ok;
  }
  return {};
}

Result<GenerateResult> generate(Executor& executor, SequenceState& state, const Tokenizer& tokenizer,
                                const GenerateRequest& request, const OnText& on_text) {
  if (request.prompt.empty()) return Error{ErrorCode::kUsage, "", "prompt", "no tokens", "at least one", ""};
  if (auto ok = check_fits(executor, state, request.prompt.size()); !ok) return ok.error();
  return Generation(executor, state, tokenizer, request, on_text).run();
}

}  // namespace aprx
