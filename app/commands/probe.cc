#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/probe_report.h"
#include "app/terminal/console.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

using Json = nlohmann::ordered_json;

CommandLine command_line() {
  CommandLine line(
      "probe [MODEL] [--backend NAMES] [--all] [--json]",
      "Says, from a model file's headers alone, what each device could do with it: whether it runs, the "
      "memory\n"
      "it needs, every reason why not, and what would help. Without MODEL: what each device's kernels take.\n"
      "Exit code 0 if `aprx run` with the same options would run the model, 8 if not.",
      {"aprx probe model.gguf", "aprx probe model.gguf --backend=cuda --json",
       "aprx probe model.gguf --ctx 32768 --kv-type q8_0 --assume-memory 8G",
       "aprx probe model.gguf --widen F16:F32", "aprx probe"});
  line.section("What to show")
      .add_options()("all", po::bool_switch(), "list each tensor: operator, dtype, shape, device and why")(
          "json", po::bool_switch(), "print one JSON object (docs/schema/probe.schema.json)");
  line.section("What if").add_options()("assume-memory", po::value<std::string>(),
                                        "free memory to reckon with on each device: bytes, or with K, M, G")(
      "widen", po::value<std::vector<std::string>>(),
      "tensors of one float type as another that holds them exactly: F16:F32, BF16:F32 (repeatable)");
  add_model_options(line);
  add_host_options(line);
  line.positional("model");
  return line;
}

Result<uint64_t> bytes_of(const std::string& text) {
  const Error error{
      ErrorCode::kUsage, "", "--assume-memory", text, "a number of bytes, or one with K, M or G", ""};
  const std::string units = "KMG";
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  constexpr size_t kMostDigits = 15;
  if (digits == 0 || digits > kMostDigits || text.size() > digits + 1) return error;
  uint64_t bytes = std::stoull(text.substr(0, digits));
  if (digits == text.size()) return bytes;
  const size_t unit = units.find(text[digits]);
  if (unit == std::string::npos) return error;
  constexpr unsigned kBitsAUnit = 10;
  return bytes << (kBitsAUnit * (unit + 1));
}

Result<std::pair<DType, DType>> widening_of(const std::string& text) {
  for (const DType from : {DType::kF16, DType::kBF16}) {
    if (text == std::string(dtype_name(from)) + ":F32") return std::pair{from, DType::kF32};
  }
  return Error{ErrorCode::kUsage, "", "--widen", text, "F16:F32 or BF16:F32", ""};
}

Result<SurveyOptions> survey_options(const CommandLine& line, const Host& host) {
  auto model = model_options(line);
  if (!model) return model.error();
  SurveyOptions options;
  options.model = std::move(*model);
  options.model.threads = host.threads();
  if (line.has("assume-memory")) {
    auto bytes = bytes_of(line.get<std::string>("assume-memory"));
    if (!bytes) return bytes.error();
    options.free_memory = *bytes;
  }
  if (line.has("widen")) {
    for (const std::string& text : line.get<std::vector<std::string>>("widen")) {
      auto widening = widening_of(text);
      if (!widening) return widening.error();
      options.widened.push_back(*widening);
    }
  }
  return options;
}

int show(const Json& report, bool as_json, std::string (*text_of)(const Json&)) {
  if (as_json) {
    print_json(report);
  } else {
    static_cast<void>(print(text_of(report)));
  }
  return 0;
}

int probe_model(const CommandLine& line, Host& host) {
  const bool as_json = line.flag("json");
  auto options = survey_options(line, host);
  if (!options) return fail(options.error(), as_json);
  auto survey = survey_model(host.registry(), host.descriptions(), line.get<std::string>("model"), *options);
  if (!survey) return fail(survey.error(), as_json);
  show(probe_json(*survey, line.flag("all")), as_json, probe_text);
  if (!survey->error) return 0;
  if (!as_json) print_error(*survey->error);
  return exit_code(*survey->error);
}

}  // namespace

int probe_command(Arguments arguments) {
  CommandLine line = command_line();
  const bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), as_json);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto host = Host::create(host_options(line));
  if (!host) return fail(host.error(), as_json);
  if (line.has("model")) return probe_model(line, **host);
  return show(kernels_json((*host)->registry()), as_json, kernels_text);
}

}  // namespace aprx::app
