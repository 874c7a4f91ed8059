#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/inspection.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/terminal/console.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

CommandLine command_line() {
  CommandLine line(
      "inspect MODEL [--tensors GLOB] [--key KEY] [--json]",
      "Shows what a model file holds: metadata, dtypes by count and bytes, what its name and metadata claim\n"
      "against that, parameters, special tokens. Reads headers only. Types that aren't known are described.",
      {"aprx inspect model.gguf", "aprx inspect model.gguf --tensors 'blk.0.*'",
       "aprx inspect model.gguf --key tokenizer.chat_template --json"});
  line.section("What to show")
      .add_options()("tensors", po::value<std::string>(), "list the tensors whose names match")(
          "key", po::value<std::string>(), "one metadata key, whole")("json", po::bool_switch(),
                                                                      "print one JSON object");
  add_host_options(line);
  line.positional("model");
  return line;
}

Result<nlohmann::ordered_json> run(const CommandLine& line) {
  auto model = model_argument(line);
  if (!model) return model.error();
  auto host = Host::create(host_options(line));
  if (!host) return host.error();
  auto file = (*host)->registry().open_model(*model);
  if (!file) return file.error();
  const std::string key = line.has("key") ? line.get<std::string>("key") : "";
  if (!key.empty() && (*file)->find(key) == nullptr) {
    return Error{ErrorCode::kUsage,
                 *model,
                 "--key",
                 key,
                 "a key of the file",
                 "`aprx inspect` without --key lists them"};
  }
  return inspect(**file, line.has("tensors") ? line.get<std::string>("tensors") : "", key);
}

}  // namespace

int inspect_command(Arguments arguments) {
  CommandLine line = command_line();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), false);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto found = run(line);
  if (!found) return fail(found.error(), line.flag("json"));
  if (line.flag("json")) {
    print_json(*found);
  } else if (line.has("key")) {
    const auto& entry = (*found)["metadata"][0];
    const auto& value = entry.contains("items") ? entry["items"] : entry["value"];
    static_cast<void>(print((value.is_string() ? value.get<std::string>() : value.dump()) + "\n"));
  } else {
    static_cast<void>(print(inspection_text(*found)));
  }
  return 0;
}

}  // namespace aprx::app
