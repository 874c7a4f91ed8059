#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/prompt.h"
#include "app/signals.h"
#include "app/terminal/console.h"
#include "app/terminal/progress.h"
#include "core/route/render.h"
#include "runtime/session/generate.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

using Json = nlohmann::ordered_json;

CommandLine command_line() {
  CommandLine line(
      "run MODEL [--prompt TEXT | --prompt-file FILE | -] [OPTION…]",
      "Answers one prompt. The text goes to standard output and nothing else does; what ran, and how\n"
      "fast, goes to standard error. With --json everything is one object on standard output.",
      {"aprx run model.gguf --prompt \"What is the capital of France?\"",
       "aprx run model.gguf --prompt-file question.txt --temperature 0 --json",
       "echo \"Once upon a time\" | aprx run model.gguf - --no-chat-template --max-tokens 50"});
  add_prompt_options(line);
  line.section("Generation")
      .add_options()("max-tokens,n", po::value<int64_t>(),
                     "stop after this many tokens (default: when the context is full)")(
          "temperature", po::value<float>(), "0: always the likeliest token (default 0.8)")(
          "top-k", po::value<int>(), "choose among the K likeliest tokens; 0: among all (default 40)")(
          "top-p", po::value<float>(),
          "choose among the likeliest tokens that make up P of the mass; 1: off (default 0.95)")(
          "min-p", po::value<float>(),
          "drop tokens less likely than P times the likeliest; 0: off (default 0.05)")(
          "repeat-penalty", po::value<float>(),
          "weaken tokens of the last 64 by this factor; 1: off (default 1)")(
          "seed", po::value<uint64_t>(), "of the random choices (default: a random one, which is printed)")(
          "stop", po::value<std::vector<std::string>>(), "stop before this text (repeatable)");
  add_model_options(line);
  line.section("Output").add_options()("json", po::bool_switch(),
                                       "print one JSON object: text, route, figures");
  add_host_options(line);
  line.positional("model");
  line.positional("stdin");
  return line;
}

uint64_t random_seed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32U) | device();
}

Result<SamplingOptions> sampling_options(const CommandLine& line) {
  SamplingOptions options;
  if (line.has("temperature")) options.temperature = line.get<float>("temperature");
  if (line.has("top-k")) options.top_k = line.get<int>("top-k");
  if (line.has("top-p")) options.top_p = line.get<float>("top-p");
  if (line.has("min-p")) options.min_p = line.get<float>("min-p");
  if (line.has("repeat-penalty")) options.repeat_penalty = line.get<float>("repeat-penalty");
  options.seed = line.has("seed") ? line.get<uint64_t>("seed") : random_seed();
  if (auto ok = validate(options); !ok) return ok.error();
  return options;
}

Result<GenerateRequest> request_of(const CommandLine& line) {
  GenerateRequest request;
  auto sampling = sampling_options(line);
  if (!sampling) return sampling.error();
  request.sampling = *sampling;
  if (line.has("max-tokens")) {
    request.max_tokens = line.get<int64_t>("max-tokens");
    if (*request.max_tokens < 0) {
      return Error{ErrorCode::kUsage, "", "--max-tokens", std::to_string(*request.max_tokens),
                   "0 or more",       ""};
    }
  }
  if (line.has("stop")) request.stops = line.get<std::vector<std::string>>("stop");
  return request;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Json rate(uint64_t tokens, double seconds) {
  if (tokens == 0 || seconds <= 0) return nullptr;
  return static_cast<double>(tokens) / seconds;
}

std::string rate_text(uint64_t tokens, double seconds) {
  return tokens == 0 || seconds <= 0 ? ""
                                     : fmt::format(" ({:.1f} tok/s)", static_cast<double>(tokens) / seconds);
}

// What each device really ran, as the executor noted it.
Json executed_json(const Record& record) {
  Json out = Json::array();
  for (const Record::Work& work : record.work) {
    out.push_back(
        {{"device", work.device}, {"operators", record.runs > 0 ? work.operators_run / record.runs : 0}});
  }
  return out;
}

// One `aprx run`: what it finds out goes into `report` as it goes, so that --json says it on every
// exit path.
class Run {
 public:
  explicit Run(const CommandLine& line) : line_(line), as_json_(line.flag("json")) {
    report_ = {{"model", nullptr},          {"text", ""},         {"finish_reason", nullptr},
               {"tokens", Json::array()},   {"seed", nullptr},    {"route", nullptr},
               {"warnings", Json::array()}, {"figures", nullptr}, {"error", nullptr}};
  }

  int execute() {
    auto done = generate_text();
    if (!done) {
      report_["error"] = error_json(done.error());
      if (!as_json_) {
        end_text_line();
        print_error(done.error());
      }
    }
    if (as_json_) print_json(report_);
    if (!done) return exit_code(done.error());
    return interrupted() ? static_cast<int>(ErrorCode::kInterrupted) : 0;
  }

 private:
  Result<void> generate_text() {
    auto model = model_argument(line_);
    if (!model) return model.error();
    report_["model"] = printable(*model);
    auto request = request_of(line_);
    if (!request) return request.error();
    report_["seed"] = request->sampling.seed;
    auto options = model_options(line_);
    if (!options) return options.error();
    auto prompt = read_prompt(line_);
    if (!prompt) return prompt.error();
    host_ = Host::create(host_options(line_));
    if (!host_) return host_.error();
    options->threads = (*host_)->threads();
    const auto start = std::chrono::steady_clock::now();
    auto planned = plan_model((*host_)->registry(), (*host_)->descriptions(), *model, *options);
    if (!planned) return planned.error();
    auto tokenizer = tokenizer_of(*planned->file);
    if (!tokenizer) return tokenizer.error();
    if (auto ok = check_vocabulary(**tokenizer, planned->route.graph(), planned->file->path()); !ok)
      return ok;
    auto tokens = prompt_tokens(line_, *prompt, *planned->file, **tokenizer);
    if (!tokens) return tokens.error();
    request->prompt = std::move(*tokens);
    warn(planned->warnings);
    auto executor = load(*planned);
    if (!executor) return executor.error();
    const double load_seconds = seconds_since(start);
    return run(**executor, *planned->file, **tokenizer, *request, load_seconds);
  }

  Result<std::unique_ptr<Executor>> load(PlannedModel& planned) {
    set_mapped_file(planned.file->path());
    ProgressLine progress("loading");
    auto executor = Executor::create(std::move(planned.route), *planned.file,
                                     [&](uint64_t done, uint64_t total) { progress.update(done, total); });
    if (!executor) return executor;
    // The line is printed where the Route takes effect, not where it is planned.
    report_["route"] = route_json((*executor)->route());
    if (!as_json_) note(backend_line((*executor)->route()));
    return executor;
  }

  Result<void> run(Executor& executor, ModelFile& file, const Tokenizer& tokenizer,
                   const GenerateRequest& request, double load_seconds) {
    auto state = executor.new_state();
    if (!state) return state.error();
    announce_seed(request.sampling);
    std::string text;
    auto result = generate(executor, *state, tokenizer, request, [&](const std::string& piece) {
      text += piece;
      if (as_json_) return !interrupted();
      is_line_open_ = !text.ends_with('\n');
      reader_left_ = reader_left_ || !print(piece);
      return !reader_left_ && !interrupted();
    });
    report_["text"] = text;
    if (!result) return explained(result.error(), executor, file);
    report(executor, request, *result, load_seconds);
    return {};
  }

  // Logits that aren't finite come from the file more often than not: say which tensor.
  static Error explained(Error error, const Executor& executor, ModelFile& file) {
    if (error.code != ErrorCode::kBadFile) return error;
    error.file = file.path();
    if (auto name = weight_that_is_not_finite(executor.route(), file)) {
      error.subject = *name;
      error.found = "holds values that are not finite";
      error.hint = "the file is damaged: get it again, or another build of the model";
    }
    return error;
  }

  void warn(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
      report_["warnings"].push_back(printable(warning));
      if (!as_json_) note("warning: " + printable(warning) + "\n");
    }
  }

  void announce_seed(const SamplingOptions& sampling) const {
    const bool is_chosen_by_us = sampling.temperature > 0 && !line_.has("seed");
    if (is_chosen_by_us && !as_json_) note(fmt::format("seed: {}\n", sampling.seed));
  }

  void end_text_line() {
    if (is_line_open_ && !reader_left_) static_cast<void>(print("\n"));
    is_line_open_ = false;
  }

  void report(const Executor& executor, const GenerateRequest& request, const GenerateResult& result,
              double load_seconds) {
    report_["finish_reason"] = finish_word(result.reason);
    report_["tokens"] = result.tokens;
    report_["figures"] = {
        {"prompt_tokens", request.prompt.size()},
        {"generated_tokens", result.tokens.size()},
        {"decoded_tokens", result.tokens_decoded},
        {"load_seconds", load_seconds},
        {"prefill_seconds", result.prefill_seconds},
        {"decode_seconds", result.decode_seconds},
        {"prefill_tokens_per_second", rate(result.tokens_prefilled, result.prefill_seconds)},
        {"decode_tokens_per_second", rate(result.tokens_decoded, result.decode_seconds)},
        {"device_memory_bytes", executor.bytes_in_use()},
        {"executed", executed_json(executor.record())},
        {"weights_prepared", executor.record().weights_prepared},
    };
    if (as_json_ || reader_left_) return;
    end_text_line();
    note(fmt::format(
        "finish: {}; load {:.2f} s; prefill {} tokens in {:.2f} s{}; decode {} tokens in {:.2f} s{}\n",
        finish_word(result.reason), load_seconds, result.tokens_prefilled, result.prefill_seconds,
        rate_text(result.tokens_prefilled, result.prefill_seconds), result.tokens_decoded,
        result.decode_seconds, rate_text(result.tokens_decoded, result.decode_seconds)));
  }

  const CommandLine& line_;
  bool as_json_;
  bool is_line_open_ = false;
  bool reader_left_ = false;
  Json report_;
  Result<std::unique_ptr<Host>> host_ = std::unique_ptr<Host>();
};

}  // namespace

int run_command(Arguments arguments) {
  CommandLine line = command_line();
  const bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), as_json);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  return Run(line).execute();
}

}  // namespace aprx::app
