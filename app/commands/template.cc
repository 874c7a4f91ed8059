#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/prompt.h"
#include "app/terminal/console.h"
#include "runtime/session/chat_prompt.h"
#include "runtime/template/conversation.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

CommandLine command_line() {
  CommandLine line(
      "template (MODEL | --template FILE) --messages FILE.json [OPTION…]",
      "Renders a chat template and prints the bytes of the prompt, with no newline added.",
      {"aprx template model.gguf --messages chat.json",
       "aprx template --template chatml.jinja --messages chat.json --set enable_thinking=false"});
  line.section("Input").add_options()("template", po::value<std::string>(),
                                      "a Jinja file in place of a model's template")(
      "messages", po::value<std::string>(), "JSON file: the array of messages")(
      "tools", po::value<std::string>(), "JSON file: the array of tools")(
      "set", po::value<std::vector<std::string>>(),
      "NAME=JSON: a further variable of the template (repeatable)")(
      "now", po::value<std::string>(), "time that strftime_now gives, 2026-07-04T12:34:56 (default: now)")(
      "no-generation-prompt", po::bool_switch(), "don't open the assistant's turn")(
      "continue-final-message", po::bool_switch(), "end inside the last message, for the model to go on");
  add_host_options(line);
  line.positional("model");
  return line;
}

Error usage(const std::string& subject, const std::string& found, const std::string& expected) {
  return {ErrorCode::kUsage, "", subject, found, expected, ""};
}

Result<void> set_variables(const CommandLine& line, nlohmann::ordered_json& variables) {
  if (!line.has("set")) return {};
  for (const std::string& assignment : line.get<std::vector<std::string>>("set")) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) return usage("--set", assignment, "NAME=JSON");
    auto value =
        nlohmann::ordered_json::parse(assignment.substr(equals + 1), nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded())
      return usage("--set", assignment, "a JSON value behind the =, such as true or \"text\"");
    variables[assignment.substr(0, equals)] = std::move(value);
  }
  return {};
}

Result<ChatTemplate> load_template(const CommandLine& line, nlohmann::ordered_json& variables) {
  if (line.has("template") == line.has("model")) {
    return usage("template", line.has("model") ? "given beside a model" : "not given",
                 "a model or --template FILE");
  }
  if (line.has("template")) {
    const std::string path = line.get<std::string>("template");
    auto source = read_text(path);
    if (!source) return source.error();
    return ChatTemplate::parse(*source, path);
  }
  auto host = Host::create(host_options(line));
  if (!host) return host.error();
  auto file = (*host)->registry().open_model(line.get<std::string>("model"));
  if (!file) return file.error();
  auto tokenizer = tokenizer_of(**file);
  if (!tokenizer) return tokenizer.error();
  variables = template_variables(**tokenizer);
  return own_template(**file);
}

Result<ChatTemplate::Inputs> inputs_of(const CommandLine& line) {
  if (!line.has("messages")) return usage("--messages", "not given", "a JSON file with the messages");
  ChatTemplate::Inputs inputs;
  const std::string path = line.get<std::string>("messages");
  auto text = read_text(path);
  if (!text) return text.error();
  auto messages = parse_messages(*text, path);
  if (!messages) return messages.error();
  inputs.messages = std::move(*messages);
  if (line.has("tools")) {
    const std::string tools_path = line.get<std::string>("tools");
    auto tools_text = read_text(tools_path);
    if (!tools_text) return tools_text.error();
    auto tools = parse_tools(*tools_text, tools_path);
    if (!tools) return tools.error();
    inputs.tools = std::move(*tools);
  }
  inputs.add_generation_prompt = !line.flag("no-generation-prompt");
  inputs.continue_final_message = line.flag("continue-final-message");
  if (line.has("now")) inputs.now = line.get<std::string>("now");
  return inputs;
}

Result<std::string> render(const CommandLine& line) {
  auto inputs = inputs_of(line);
  if (!inputs) return inputs.error();
  inputs->variables = nlohmann::ordered_json::object();
  auto chat = load_template(line, inputs->variables);
  if (!chat) return chat.error();
  if (auto ok = set_variables(line, inputs->variables); !ok) return ok.error();
  return chat->render(*inputs);
}

}  // namespace

int template_command(Arguments arguments) {
  CommandLine line = command_line();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), false);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto text = render(line);
  if (!text) return fail(text.error(), false);
  static_cast<void>(print(*text));
  return 0;
}

}  // namespace aprx::app
