#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/signals.h"
#include "app/terminal/console.h"
#include "app/terminal/progress.h"
#include "app/token_list.h"
#include "core/route/render.h"
#include "runtime/session/measure.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

using Json = nlohmann::ordered_json;

CommandLine command_line() {
  CommandLine line(
      "bench MODEL [--prefill N,…] [--decode N] [--depth N] [--runs N] [OPTION…]",
      "Measures how fast a model runs here: prompts of some lengths, then tokens one by one. Rates\n"
      "leave out loading, each run starts from a new state, and the best of all runs counts.",
      {"aprx bench model.gguf", "aprx bench model.gguf --prefill 32,2048 --threads 1",
       "aprx bench model.gguf --decode 64 --depth 2048 --json"});
  line.section("What to measure")
      .add_options()("prefill", po::value<std::string>()->default_value("128,512"),
                     "tokens of each prompt, separated by commas")(
          "decode", po::value<int64_t>()->default_value(32), "tokens decoded one by one; 0: none")(
          "depth", po::value<int64_t>()->default_value(0), "tokens before the decoded ones")(
          "runs", po::value<int>()->default_value(3), "runs of each measurement");
  add_model_options(line);
  line.section("Output").add_options()("json", po::bool_switch(), "print one JSON object");
  add_host_options(line);
  line.positional("model");
  return line;
}

struct Plan {
  std::vector<int64_t> prefill;
  int64_t decode = 0;
  int64_t depth = 0;
  int runs = 0;

  [[nodiscard]] int64_t context() const {
    const int64_t longest = prefill.empty() ? 0 : *std::ranges::max_element(prefill);
    return std::max(longest, decode > 0 ? depth + decode : 0);
  }
  [[nodiscard]] uint64_t steps() const {
    return static_cast<uint64_t>(runs) * (prefill.size() + (decode > 0 ? 1 : 0));
  }
};

Error out_of_range(const std::string& option, int64_t found, const std::string& expected) {
  return {ErrorCode::kUsage, "", option, std::to_string(found), expected, ""};
}

Result<Plan> plan_of(const CommandLine& line) {
  constexpr int64_t kMostTokens = int64_t{1} << 24U;
  auto lengths = parse_token_list(line.get<std::string>("prefill"), "--prefill");
  if (!lengths) return lengths.error();
  Plan plan{{lengths->begin(), lengths->end()},
            line.get<int64_t>("decode"),
            line.get<int64_t>("depth"),
            line.get<int>("runs")};
  for (const int64_t length : plan.prefill) {
    if (length < 1) return out_of_range("--prefill", length, "lengths of at least 1");
  }
  if (plan.decode < 0 || plan.decode > kMostTokens)
    return out_of_range("--decode", plan.decode, "0 or more tokens");
  if (plan.depth < 0 || plan.depth > kMostTokens)
    return out_of_range("--depth", plan.depth, "0 or more tokens");
  if (plan.runs < 1 || plan.runs > 1000) return out_of_range("--runs", plan.runs, "1 to 1000");
  return plan;
}

// The most memory that the process had. Source: proc(5), VmHWM.
uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string key;
  uint64_t kib = 0;
  for (std::string rest; status >> key; std::getline(status, rest)) {
    if (key == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

Json timings_json(const Timings& timings) {
  return {{"tokens", timings.tokens},
          {"best_tokens_per_second", timings.best()},
          {"median_tokens_per_second", timings.median()},
          {"worst_tokens_per_second", timings.worst()},
          {"seconds", timings.seconds}};
}

std::string timings_text(const std::string& what, const Timings& timings) {
  return fmt::format("{:<24} {:>10.1f} {:>10.1f} {:>10.1f}\n", what, timings.best(), timings.median(),
                     timings.worst());
}

// One `aprx bench`: what it finds out goes into `report` as it goes, so that --json says it on every exit
// path.
class Bench {
 public:
  explicit Bench(const CommandLine& line) : line_(line) {
    report_ = {{"model", nullptr},
               {"route", nullptr},
               {"target", nullptr},
               {"threads", nullptr},
               {"load_seconds", nullptr},
               {"peak_memory_bytes", nullptr},
               {"prefill_tokens_per_second", nullptr},
               {"decode_tokens_per_second", nullptr},
               {"prefill", Json::array()},
               {"decode", nullptr},
               {"error", nullptr}};
  }

  int execute() {
    auto done = run();
    if (!done) report_["error"] = error_json(done.error());
    if (line_.flag("json")) {
      print_json(report_);
    } else if (done) {
      static_cast<void>(print(table_));
    } else {
      print_error(done.error());
    }
    return done ? 0 : exit_code(done.error());
  }

 private:
  Result<void> run() {
    auto model = model_argument(line_);
    if (!model) return model.error();
    report_["model"] = printable(*model);
    auto plan = plan_of(line_);
    if (!plan) return plan.error();
    auto options = model_options(line_);
    if (!options) return options.error();
    if (!options->context) options->context = std::max<int64_t>(1, plan->context());
    if (*options->context < plan->context()) {
      return out_of_range("--ctx", *options->context,
                          "at least " + std::to_string(plan->context()) + " for what is measured");
    }
    host_ = Host::create(host_options(line_));
    if (!host_) return host_.error();
    options->threads = (*host_)->threads();
    auto executor = load(*model, *options);
    if (!executor) return executor.error();
    return measure(**executor, *plan);
  }

  Result<std::unique_ptr<Executor>> load(const std::string& model, const ModelOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    auto planned = plan_model((*host_)->registry(), (*host_)->descriptions(), model, options);
    if (!planned) return explained(planned.error());
    set_mapped_file(planned->file->path());
    file_ = std::move(planned->file);
    ProgressLine progress("loading");
    auto executor = Executor::create(std::move(planned->route), *file_,
                                     [&](uint64_t done, uint64_t total) { progress.update(done, total); });
    if (!executor) return executor;
    report_["load_seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Route& route = (*executor)->route();
    report_["route"] = route_json(route);
    report_["target"] = route.parts().front().target;
    report_["threads"] = options.threads;
    if (!line_.flag("json")) note(backend_line(route));
    return executor;
  }

  // Without --ctx the context is what the measurements need.
  Error explained(Error error) const {
    if (error.subject == "--ctx" && !line_.has("ctx")) error.subject = "--prefill, --decode and --depth";
    return error;
  }

  Result<void> measure(Executor& executor, const Plan& plan) {
    ProgressLine progress("measuring");
    uint64_t step = 0;
    const OnRun on_run = [&] { progress.update(++step, plan.steps()); };
    table_ = fmt::format("{:<24} {:>10} {:>10} {:>10}   tokens a second\n", "", "best", "median", "worst");
    for (const int64_t tokens : plan.prefill) {
      auto timings = measure_prefill(executor, tokens, plan.runs, on_run);
      if (!timings) return timings.error();
      if (report_["prefill"].empty()) report_["prefill_tokens_per_second"] = timings->best();
      report_["prefill"].push_back(timings_json(*timings));
      table_ += timings_text(fmt::format("prefill {}", tokens), *timings);
    }
    if (plan.decode > 0) {
      auto timings = measure_decode(executor, plan.decode, plan.depth, plan.runs, on_run);
      if (!timings) return timings.error();
      report_["decode_tokens_per_second"] = timings->best();
      report_["decode"] = timings_json(*timings);
      report_["decode"]["depth"] = plan.depth;
      table_ += timings_text(fmt::format("decode {} at depth {}", plan.decode, plan.depth), *timings);
    }
    const uint64_t peak = peak_memory();
    report_["peak_memory_bytes"] = peak;
    table_ += fmt::format("load {:.2f} s, peak memory {:.0f} MiB\n", report_["load_seconds"].get<double>(),
                          static_cast<double>(peak) / (1024 * 1024));
    return {};
  }

  const CommandLine& line_;
  Json report_;
  std::string table_;
  Result<std::unique_ptr<Host>> host_ = std::unique_ptr<Host>();
  std::unique_ptr<ModelFile> file_;
};

}  // namespace

int bench_command(Arguments arguments) {
  CommandLine line = command_line();
  const bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), as_json);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  return Bench(line).execute();
}

}  // namespace aprx::app
