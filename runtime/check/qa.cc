#include "runtime/check/qa.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/exec/executor.h"
#include "core/route/render.h"
#include "runtime/session/chat_prompt.h"
#include "runtime/session/generate.h"
#include "runtime/text/detokenizer.h"

namespace aprx {

namespace {

constexpr const char* kQuestion = "What is the capital of France?";

// Texts of several scripts, with what tokenizers stumble over: runs of spaces, digits, joined emoji.
constexpr const char* kTexts[] = {"Hello, world!",           "  two spaces\n\n\tand a tab  ",
                                  "1234567890 3.14159",      "Zażółć gęślą jaźń, größer als 5 °C",
                                  "日本語のテキスト 한국어", "👩‍👩‍👧 and 🇫🇷"};

// Batches and single tokens round quantized activations differently (MANIFEST: ordinary noise).
constexpr double kLeastOwnCosine = 0.9995;
// Between two backends: the gate of parity.
constexpr double kLeastOtherCosine = 0.98;
// What a scalar reference does in a few seconds: parameters times tokens.
constexpr uint64_t kMostReferenceWork = 1'000'000'000;

using Logits = std::vector<float>;  // [tokens, vocabulary]

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return aa == 0 && bb == 0 ? 1 : ab / std::sqrt(aa * bb);
}

// The worst cosine over all positions, and which that is.
std::pair<double, size_t> worst_cosine(const Logits& a, const Logits& b, size_t vocabulary) {
  std::pair<double, size_t> worst = {1, 0};
  for (size_t at = 0; at < a.size(); at += vocabulary) {
    const double here = cosine(std::span(a).subspan(at, vocabulary), std::span(b).subspan(at, vocabulary));
    if (!(here >= worst.first)) worst = {here, at / vocabulary};
  }
  return worst;
}

Gate failed(const char* name, std::string found, std::string expected) {
  return broken(name, {{ErrorCode::kCheckFailed, "", "", std::move(found), std::move(expected), ""}});
}

// An error that a gate met: a break, unless the user stopped it.
Gate stopped(const char* name, const Error& error) {
  return error.code == ErrorCode::kInterrupted ? not_measured(name, error.text()) : broken(name, {error});
}

Gate judge_cosine(const char* name, const std::pair<double, size_t>& worst, double least,
                  const std::string& what) {
  const std::string seen =
      what + ": worst cosine " + std::to_string(worst.first) + " at position " + std::to_string(worst.second);
  return worst.first >= least ? held(name, seen) : failed(name, seen, "at least " + std::to_string(least));
}

// Goes through the gates of one model; holds what one call of check_quality() knows.
class Quality {
 public:
  Quality(PluginRegistry& registry, const DescriptionSet& descriptions, std::filesystem::path path,
          const QaOptions& options)
      : registry_(registry), descriptions_(descriptions), path_(std::move(path)), options_(options) {}

  QaReport run() {
    if (!load()) {
      for (const char* gate : {"tokenizer", "chat_template", "finite_logits", "prefill_is_decode",
                               "determinism", "output", "banner", "second_backend"}) {
        add(not_measured(gate, "the model doesn't run"));
      }
      return std::move(report_);
    }
    check("tokenizer", [&] { return check_tokenizer(); });
    check("chat_template", [&] { return check_template(); });
    check("finite_logits", [&] { return check_finite(); });
    check("prefill_is_decode", [&] { return check_split(); });
    check("determinism", [&] { return check_determinism(); });
    check("output", [&] { return check_output(); });
    check("banner", [&] { return check_banner(); });
    check("second_backend", [&] { return check_second_backend(); });
    return std::move(report_);
  }

 private:
  void add(Gate gate) { report_.gates.push_back(std::move(gate)); }

  template <typename Body>
  void check(const char* name, const Body& body) {
    if (options_.begin) options_.begin(name);
    add(body());
  }

  bool load() {
    if (options_.begin) options_.begin("capability");
    auto ok = load_model();
    if (ok) return true;
    const Error& error = ok.error();
    report_.error = error;
    add(error.code == ErrorCode::kCapability ? broken("capability", {error})
                                             : not_measured("capability", error.text()));
    return false;
  }

  ModelOptions model_options() const {
    ModelOptions options = options_.model;
    options.tokens_max = kMostTokens;
    options.wants_all_logits = true;
    return options;
  }

  Result<void> load_model() {
    auto planned = plan_model(registry_, descriptions_, path_, model_options());
    if (!planned) return planned.error();
    report_.route = planned->route;
    auto tokenizer = tokenizer_of(*planned->file);
    if (!tokenizer) return tokenizer.error();
    tokenizer_ = std::move(*tokenizer);
    if (auto ok = check_vocabulary(*tokenizer_, planned->route.graph(), planned->file->path()); !ok)
      return ok;
    auto executor = Executor::create(std::move(planned->route), *planned->file, {});
    if (!executor) return executor.error();
    file_ = std::move(planned->file);
    parameters_ = planned->parameters;
    executor_ = std::move(*executor);
    add(held("capability", devices_text(*report_.route)));
    return {};
  }

  Gate check_tokenizer() const {
    for (const char* text : kTexts) {
      auto ids = tokenizer_->encode(text);
      if (!ids) return broken("tokenizer", {ids.error()});
      Detokenizer detokenizer(*tokenizer_, false);
      std::string back;
      for (const int32_t id : *ids) back += detokenizer.push(id);
      back += detokenizer.flush();
      if (back != text)
        return failed("tokenizer", "\"" + std::string(text) + "\" comes back as \"" + back + "\"", "itself");
    }
    return held("tokenizer", std::to_string(std::size(kTexts)) + " texts come back as they were");
  }

  // Renders the question; also makes the prompt of the gates that follow.
  Gate check_template() {
    prompt_ = encoded(kQuestion, {.add_special = true});
    auto own = model_template(*file_);
    if (!own) return broken("chat_template", {own.error()});
    if (!*own) return not_measured("chat_template", "the model has no chat template");
    ChatTemplate::Inputs inputs;
    inputs.messages = {{{"role", "user"}, {"content", kQuestion}}};
    inputs.variables = template_variables(*tokenizer_);
    auto text = (*own)->render(inputs);
    if (!text) return broken("chat_template", {text.error()});
    if (text->find(kQuestion) == std::string::npos) {
      return failed("chat_template", "the rendered prompt doesn't hold the question", "it does");
    }
    prompt_ = encoded(*text, {.parse_special = true});
    return held("chat_template", std::to_string(prompt_.size()) + " tokens for a question");
  }

  std::vector<int32_t> encoded(const std::string& text, const EncodeOptions& how) const {
    auto ids = tokenizer_->encode(text, how);
    if (!ids) return {};
    if (ids->size() > kMostTokens) ids->resize(kMostTokens);
    return std::move(*ids);
  }

  static size_t vocabulary_of(const Executor& executor) {
    const Graph& graph = executor.route().graph();
    return static_cast<size_t>(graph.tensor(graph.logits).shape.back());
  }

  // Logits of every token of the prompt, run in pieces of `piece`.
  Result<Logits> logits_of(Executor& executor, size_t piece) const {
    auto state = executor.new_state();
    if (!state) return state.error();
    const size_t vocabulary = vocabulary_of(executor);
    Logits logits(prompt_.size() * vocabulary);
    std::vector<int32_t> rows(prompt_.size());
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>(i);
    piece = std::min<size_t>(piece, executor.route().policy().tokens_max);
    for (size_t at = 0; at < prompt_.size(); at += piece) {
      const size_t n = std::min(piece, prompt_.size() - at);
      auto ok = executor.run(*state, std::span(prompt_).subspan(at, n), std::span(rows).first(n),
                             std::span(logits).subspan(at * vocabulary, n * vocabulary));
      if (!ok) return ok.error();
    }
    return logits;
  }

  Gate check_finite() {
    if (prompt_.empty()) return not_measured("finite_logits", "the question has no tokens");
    auto logits = logits_of(*executor_, kMostTokens);
    if (!logits) return stopped("finite_logits", logits.error());
    batch_ = std::move(*logits);
    const auto bad = std::ranges::find_if(batch_, [](float v) { return !std::isfinite(v); });
    if (bad == batch_.end()) return held("finite_logits", std::to_string(prompt_.size()) + " positions");
    const size_t position = static_cast<size_t>(bad - batch_.begin()) / vocabulary_of(*executor_);
    batch_.clear();
    return failed("finite_logits", "a logit at position " + std::to_string(position) + " is not finite",
                  "finite ones");
  }

  Gate check_split() {
    if (batch_.empty()) return not_measured("prefill_is_decode", "there are no logits to compare with");
    auto single = logits_of(*executor_, 1);
    if (!single) return stopped("prefill_is_decode", single.error());
    return judge_cosine("prefill_is_decode", worst_cosine(batch_, *single, vocabulary_of(*executor_)),
                        kLeastOwnCosine, "one batch against token by token");
  }

  Result<GenerateResult> greedy(std::string& text) const {
    GenerateRequest request;
    request.prompt = prompt_;
    request.max_tokens = options_.is_quick ? 16 : 64;
    request.sampling.temperature = 0;
    auto state = executor_->new_state();
    if (!state) return state.error();
    return generate(*executor_, *state, *tokenizer_, request, [&](const std::string& more) {
      text += more;
      return true;
    });
  }

  Gate check_determinism() {
    if (prompt_.empty()) return not_measured("determinism", "the question has no tokens");
    auto first = greedy(report_.answer);
    if (!first) return stopped("determinism", first.error());
    std::string again;
    auto second = greedy(again);
    if (!second) return stopped("determinism", second.error());
    answer_ = std::move(*first);
    if (answer_->tokens != second->tokens) {
      return failed("determinism", "two greedy runs gave \"" + report_.answer + "\" and \"" + again + "\"",
                    "one answer");
    }
    return held("determinism",
                "two greedy runs gave the same " + std::to_string(answer_->tokens.size()) + " tokens");
  }

  // An answer that the model itself ended may be short; a long one must not be a few tokens over and over.
  Gate check_output() const {
    if (!answer_) return not_measured("output", "there is no answer");
    const std::set<int32_t> distinct(answer_->tokens.begin(), answer_->tokens.end());
    const bool is_blank = report_.answer.find_first_not_of(" \t\r\n") == std::string::npos;
    if (is_blank) return failed("output", "the answer is empty", "text");
    constexpr size_t kLong = 8;
    constexpr size_t kLeastVariety = 4;
    if (answer_->tokens.size() >= kLong && distinct.size() * kLeastVariety <= answer_->tokens.size()) {
      return failed("output",
                    std::to_string(distinct.size()) + " different tokens in \"" + report_.answer + "\"",
                    "more than a quarter of its " + std::to_string(answer_->tokens.size()));
    }
    return held("output", "\"" + report_.answer + "\"");
  }

  Gate check_banner() const {
    const Record& record = executor_->record();
    const Route& route = executor_->route();
    const std::string banner = backend_line(route);
    if (record.runs == 0) return not_measured("banner", "nothing was run");
    if (record.work.size() != route.parts().size()) {
      return failed("banner", std::to_string(record.work.size()) + " devices worked",
                    std::to_string(route.parts().size()) + ", as the route says");
    }
    for (size_t i = 0; i < record.work.size(); ++i) {
      const Part& part = route.parts()[i];
      const uint64_t ran = record.work[i].operators_run / record.runs;
      if (record.work[i].device != part.device.id || ran != part.operators ||
          banner.find(part.device.id) == std::string::npos) {
        return failed(
            "banner", record.work[i].device + " ran " + std::to_string(ran) + " operators",
            part.device.id + ", " + std::to_string(part.operators) + " operators, as the route says");
      }
    }
    return held("banner", "what ran is what the route says, in " + std::to_string(record.runs) + " runs");
  }

  // Another device that runs the model: a real one, or the yardstick where the model is small enough.
  Result<std::optional<std::string>> second_device() const {
    auto open = open_devices(registry_, {});
    if (!open) return open.error();
    std::optional<std::string> yardstick;
    for (const Device& device : open->devices) {
      if (device.id == executor_->route().parts()[0].device.id) continue;
      if (!device.is_yardstick()) return std::optional(device.id);
      if (parameters_ * prompt_.size() <= kMostReferenceWork) yardstick = device.id;
    }
    return yardstick;
  }

  Gate check_second_backend() const {
    if (batch_.empty()) return not_measured("second_backend", "there are no logits to compare with");
    auto device = second_device();
    if (!device) return not_measured("second_backend", device.error().text());
    if (!*device)
      return not_measured("second_backend", "no other backend runs this model in reasonable time");
    ModelOptions options = model_options();
    options.backends = {**device};
    options.target = "";
    auto planned = plan_model(registry_, descriptions_, path_, options);
    if (!planned) return not_measured("second_backend", planned.error().text());
    auto executor = Executor::create(std::move(planned->route), *planned->file, {});
    if (!executor) return not_measured("second_backend", executor.error().text());
    auto logits = logits_of(**executor, kMostTokens);
    if (!logits) return stopped("second_backend", logits.error());
    return judge_cosine("second_backend", worst_cosine(batch_, *logits, vocabulary_of(*executor_)),
                        kLeastOtherCosine, **device);
  }

  static constexpr size_t kMostTokens = 64;

  PluginRegistry& registry_;
  const DescriptionSet& descriptions_;
  std::filesystem::path path_;
  const QaOptions& options_;
  QaReport report_;
  std::unique_ptr<ModelFile> file_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Executor> executor_;
  uint64_t parameters_ = 0;
  std::vector<int32_t> prompt_;
  Logits batch_;  // of the prompt, run at once
  std::optional<GenerateResult> answer_;
};

}  // namespace

QaReport check_quality(PluginRegistry& registry, const DescriptionSet& descriptions,
                       const std::filesystem::path& path, const QaOptions& options) {
  return Quality(registry, descriptions, path, options).run();
}

std::optional<ErrorCode> verdict(const QaReport& report) {
  if (report.error) return report.error->code;
  const auto any = [&](Outcome outcome) {
    return std::ranges::find(report.gates, outcome, &Gate::outcome) != report.gates.end();
  };
  if (any(Outcome::kBroken)) return ErrorCode::kCheckFailed;
  if (any(Outcome::kNotMeasured)) return ErrorCode::kUnchecked;
  return std::nullopt;
}

}  // namespace aprx
