#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/signals.h"
#include "app/terminal/console.h"
#include "app/terminal/progress.h"
#include "app/validation.h"
#include "runtime/check/sha256.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

CommandLine command_line() {
  CommandLine line(
      "validate MODEL [--sha256 HEX] [OPTION…]",
      "Checks a model file without running it. Five gates, each held, broken or not measured:\n"
      "  sha256     the bytes are those that --sha256, MODEL.sha256 or SHA256SUMS beside it says\n"
      "  structure  tensors lie inside the file, none overlap, their types are known\n"
      "  shapes     tensors, shapes and keys are those of the architecture\n"
      "  values     no weight is NaN, infinite or above 10000 in magnitude; every block is decoded\n"
      "  tokenizer  the vocabulary loads, fits the model and gives back its own texts; the chat\n"
      "             template parses\n"
      "Of a model in several files, name any one; all of them are checked.\n\n"
      "Exit codes: 0 all held (a sum that nobody gave is no loss), 3 the file can't be read as a model,\n"
      "6 something is broken, 8 the architecture, a tensor type or the tokenizer is not supported,\n"
      "9 nothing is broken, but a gate could not be measured.",
      {"aprx validate model.gguf", "sha256sum model.gguf > model.gguf.sha256 && aprx validate model.gguf",
       "aprx validate model.gguf --sha256 8c7a…41 --json"});
  line.section("What to check")
      .add_options()("sha256", po::value<std::string>(),
                     "the sum that the file must have, 64 hexadecimal digits")("json", po::bool_switch(),
                                                                               "print one JSON object");
  add_threads_option(line);
  add_host_options(line);
  line.positional("model");
  return line;
}

Result<std::string> given_sum(const CommandLine& line) {
  if (!line.has("sha256")) return std::string();
  const auto& text = line.get<std::string>("sha256");
  auto digits = sha256_digits(text);
  if (digits) return *std::move(digits);
  return Error{
      ErrorCode::kUsage, "", "--sha256", text, "64 hexadecimal digits", "`sha256sum FILE` prints them"};
}

// One line for each kind of work, one after another.
class CheckLine {
 public:
  void update(const char* what, uint64_t done, uint64_t total) {
    if (!line_ || what != what_) line_.emplace(what);
    what_ = what;
    line_->update(done, total);
  }

 private:
  std::string what_;
  std::optional<ProgressLine> line_;
};

Result<ModelCheck> check(const CommandLine& line, const std::string& model) {
  auto sum = given_sum(line);
  if (!sum) return sum.error();
  if (auto ok = check_threads(line); !ok) return ok.error();
  auto host = Host::create(host_options(line));
  if (!host) return host.error();
  set_mapped_file(model);
  CheckLine progress;
  const CheckContext context = {
      (*host)->pool(), interrupted(),
      [&](const char* what, uint64_t done, uint64_t total) { progress.update(what, done, total); }};
  return check_model((*host)->registry(), (*host)->descriptions(), model, *sum, context);
}

ModelCheck check_or_error(const CommandLine& line, std::string& model) {
  auto argument = model_argument(line);
  if (!argument) return {.error = argument.error()};
  model = *argument;
  auto checked = check(line, model);
  return checked ? *std::move(checked) : ModelCheck{.error = checked.error()};
}

}  // namespace

int validate_command(Arguments arguments) {
  CommandLine line = command_line();
  const bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), as_json);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  std::string model;
  const ModelCheck checked = check_or_error(line, model);
  if (as_json) {
    print_json(validation_json(model, checked));
    return exit_code(checked);
  }
  for (const std::string& warning : checked.warnings) note("warning: " + printable(warning) + "\n");
  static_cast<void>(print(validation_text(checked)));
  if (checked.error) print_error(*checked.error);
  return exit_code(checked);
}

}  // namespace aprx::app
