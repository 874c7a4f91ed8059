// argv -> command -> exit code, and the last catch of every exception.
#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "app/command.h"
#include "app/signals.h"
#include "app/terminal/console.h"
#include "app/version.h"

namespace aprx::app {

namespace {

constexpr Command kCommands[] = {
    {"run", "answer one prompt with a model", run_command},
    {"probe", "say what each device could do with a model, and why not", probe_command},
    {"qa", "run a model for a moment and judge it", qa_command},
    {"bench", "measure how fast a model runs here", bench_command},
    {"inspect", "show what a model file holds", inspect_command},
    {"validate", "check that a model file is whole, without running it", validate_command},
    {"backends", "list backends, devices and why one isn't usable", backends_command},
    {"tokenize", "text to token ids and back", tokenize_command},
    {"template", "render a chat template", template_command},
    {"graph", "print the operators that a model is made of", graph_command},
    {"logits", "write a model's logits for given tokens", logits_command},
};

std::string overview() {
  std::string out =
      "aprx runs language models on whatever hardware can really run them, and says what ran.\n\n"
      "Usage: aprx COMMAND [OPTION…]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    out += "  " + std::string(command.name);
    out += std::string(12 - std::string_view(command.name).size(), ' ') + command.summary + "\n";
  }
  return out +
         "\nOptions:\n  --help      show this help\n  --version   show version, plugin ABI and targets\n\n"
         "`aprx COMMAND --help` explains a command.\n\n"
         "Exit codes: 0 done, 1 internal error, 2 usage, 3 bad or unreadable file, 4 plugin failed or not "
         "trusted,\n"
         "5 limit reached at run time, 6 a check failed, 7 device failed at run time, 8 capability refusal,\n"
         "9 something could not be checked, 130 interrupted.\n";
}

int unknown_command(const std::string& name) {
  std::string known;
  for (const Command& command : kCommands) known += (known.empty() ? "" : " ") + std::string(command.name);
  print_error(
      {ErrorCode::kUsage, "", name, "no such command", "one of: " + known, "`aprx --help` explains them"});
  return static_cast<int>(ErrorCode::kUsage);
}

// A reader that went away got what it wanted.
int done(bool) { return 0; }

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    note(overview());
    return static_cast<int>(ErrorCode::kUsage);
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") return done(print(overview()));
  if (name == "--version") return done(print(version_text()));
  const auto* command = std::ranges::find_if(kCommands, [&](const Command& c) { return c.name == name; });
  if (command == std::end(kCommands)) return unknown_command(name);
  return command->run(std::span(arguments).subspan(1));
}

}  // namespace

}  // namespace aprx::app

int main(int argc, char** argv) {
  using namespace aprx;
  using namespace aprx::app;
  try {
    install_signal_handlers();
    return dispatch(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    print_error({ErrorCode::kLimit, "", "", "out of memory", "", "use a smaller --ctx or a smaller model"});
    return static_cast<int>(ErrorCode::kLimit);
  } catch (const std::exception& e) {
    print_error({ErrorCode::kInternal, "", "", std::string("a bug in aprx: ") + e.what(), "",
                 "please report it with the command that you ran"});
    return static_cast<int>(ErrorCode::kInternal);
  }
}
