#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/terminal/console.h"
#include "runtime/model/build_graph.h"
#include "runtime/model/print_graph.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

CommandLine command_line() {
  CommandLine line(
      "graph MODEL [--expand] [--json]",
      "Prints the operators that the model's description lowers to, one a line. Composites stand whole;\n"
      "--expand shows the primitives that they are made of. Reads headers only.",
      {"aprx graph model.gguf", "aprx graph model.gguf --expand --json"});
  line.section("Output").add_options()("expand", po::bool_switch(), "expand composites to primitives")(
      "json", po::bool_switch(), "print one JSON object");
  add_host_options(line);
  line.positional("model");
  return line;
}

// Enough to show the shapes of KV caches; a run has its own.
constexpr int64_t kShownContext = 4096;

Result<std::string> run(const CommandLine& line) {
  auto model = model_argument(line);
  if (!model) return model.error();
  auto host = Host::create(host_options(line));
  if (!host) return host.error();
  auto file = (*host)->registry().open_model(*model);
  if (!file) return file.error();
  const FileFacts facts = facts_of(**file);
  auto description = (*host)->descriptions().select(facts);
  if (!description) return description.error();
  auto built = build_graph(**description, facts, {kShownContext, DType::kF16});
  if (!built) return built.error();
  const Graph graph = line.flag("expand") ? expanded(std::move(built->graph)) : std::move(built->graph);
  return line.flag("json") ? graph_json(graph) + "\n" : graph_text(graph);
}

}  // namespace

int graph_command(Arguments arguments) {
  CommandLine line = command_line();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), false);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto text = run(line);
  if (!text) return fail(text.error(), line.flag("json"));
  static_cast<void>(print(*text));
  return 0;
}

}  // namespace aprx::app
