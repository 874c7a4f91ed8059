#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/gates.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/signals.h"
#include "app/terminal/console.h"
#include "core/route/render.h"
#include "runtime/check/qa.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

using Json = nlohmann::ordered_json;

CommandLine command_line() {
  CommandLine line("qa MODEL [--quick] [OPTION…]",
                   "Runs a model for a moment and judges it. Nine gates, each held, broken or not measured, "
                   "with the reason:\n"
                   "capability, tokenizer round trip, chat template, finite logits, prefill = decode, "
                   "determinism, output,\n"
                   "banner = what ran, and agreement with a second backend.\n\n"
                   "Exit codes: 0 all held, 6 one is broken, 8 nothing that was asked for runs the model, 9 "
                   "none is broken but\n"
                   "one could not be measured.",
                   {"aprx qa model.gguf --quick", "aprx qa model.gguf --backend=cuda --json"});
  line.section("How").add_options()("quick", po::bool_switch(), "generate 16 tokens, not 64")(
      "json", po::bool_switch(), "print one JSON object");
  add_model_options(line);
  add_host_options(line);
  line.positional("model");
  return line;
}

Json report_json(const std::string& model, const QaReport& report) {
  const auto code = verdict(report);
  Json gates = Json::array();
  for (const Gate& gate : report.gates) gates.push_back(gate_json(gate));
  return {{"model", printable(model)},
          {"verdict", code ? error_word(*code) : "held"},
          {"exit_code", code ? static_cast<int>(*code) : 0},
          {"gates", std::move(gates)},
          {"route", report.route ? route_json(*report.route) : Json(nullptr)},
          {"answer", printable(report.answer)},
          {"error", report.error ? error_json(*report.error) : Json(nullptr)}};
}

Result<QaReport> check(const CommandLine& line, const std::string& model) {
  auto options = model_options(line);
  if (!options) return options.error();
  auto host = Host::create(host_options(line));
  if (!host) return host.error();
  options->threads = (*host)->threads();
  set_mapped_file(model);
  QaOptions qa{std::move(*options), line.flag("quick"), {}};
  if (line.flag("verbose")) qa.begin = [](const std::string& gate) { note("checking " + gate + "\n"); };
  return check_quality((*host)->registry(), (*host)->descriptions(), model, qa);
}

void show(const QaReport& report) {
  if (report.route) note(backend_line(*report.route));
  std::string out;
  for (const Gate& gate : report.gates) out += gate_text(gate);
  static_cast<void>(print(out));
  if (report.error) print_error(*report.error);
}

}  // namespace

int qa_command(Arguments arguments) {
  CommandLine line = command_line();
  const bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), as_json);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto model = model_argument(line);
  if (!model) return fail(model.error(), as_json);
  auto report = check(line, *model);
  if (!report) return fail(report.error(), as_json);
  if (as_json) {
    print_json(report_json(*model, *report));
  } else {
    show(*report);
  }
  const auto code = verdict(*report);
  return code ? static_cast<int>(*code) : 0;
}

}  // namespace aprx::app
