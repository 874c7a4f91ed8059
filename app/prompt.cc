#include "app/prompt.h"

#include "app/model_options.h"
#include "app/terminal/console.h"
#include "core/base/utf8.h"
#include "runtime/session/chat_prompt.h"
#include "runtime/template/conversation.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

Error usage(const std::string& subject, const std::string& found, const std::string& expected) {
  return {ErrorCode::kUsage, "", subject, found, expected, ""};
}

// The template that the user gave, else the model's own.
Result<ChatTemplate> template_of(const CommandLine& line, const ModelFile& file) {
  if (line.has("chat-template")) {
    const std::string path = line.get<std::string>("chat-template");
    auto source = read_text(path);
    if (!source) return source.error();
    return ChatTemplate::parse(*source, path);
  }
  return own_template(file);
}

}  // namespace

void add_prompt_options(CommandLine& line) {
  line.section("Prompt").add_options()("prompt,p", po::value<std::string>(), "the text")(
      "prompt-file,f", po::value<std::string>(), "a file with the text; - is standard input")(
      "system", po::value<std::string>(), "a system message before it")(
      "no-chat-template", po::bool_switch(), "continue the text as it stands, without a chat around it")(
      "chat-template", po::value<std::string>(), "a Jinja file to use in place of the model's own template");
}

Result<std::string> read_prompt(const CommandLine& line) {
  const bool from_stdin = line.has("stdin");
  if (from_stdin && line.get<std::string>("stdin") != "-") {
    return usage(line.get<std::string>("stdin"), "a second argument",
                 "one model; the prompt goes behind --prompt");
  }
  const int given = (line.has("prompt") ? 1 : 0) + (line.has("prompt-file") ? 1 : 0) + (from_stdin ? 1 : 0);
  if (given != 1) {
    return usage("prompt", given == 0 ? "not given" : "given more than once",
                 "one of --prompt, --prompt-file and -");
  }
  if (line.flag("no-chat-template") && (line.has("system") || line.has("chat-template"))) {
    return usage("--no-chat-template", "given beside --system or --chat-template",
                 "either a chat or plain text");
  }
  if (line.has("prompt")) return line.get<std::string>("prompt");
  return read_text(from_stdin ? "-" : line.get<std::string>("prompt-file"));
}

Result<ChatTemplate> own_template(const ModelFile& file) {
  auto own = model_template(file);
  if (!own) return own.error();
  if (*own) return std::move(**own);
  note("notice: the model has no text in tokenizer.chat_template; ChatML is used\n");
  return ChatTemplate::parse(std::string(builtin_chatml()), "ChatML");
}

Result<std::vector<int32_t>> prompt_tokens(const CommandLine& line, const std::string& prompt,
                                           const ModelFile& file, const Tokenizer& tokenizer) {
  if (line.flag("no-chat-template")) {
    return tokenizer.encode(prompt, {.parse_special = false, .add_special = true});
  }
  auto chat = template_of(line, file);
  if (!chat) return chat.error();
  ChatTemplate::Inputs inputs;
  inputs.messages = nlohmann::ordered_json::array();
  if (line.has("system")) {
    inputs.messages.push_back(
        {{"role", "system"}, {"content", replace_invalid_utf8(line.get<std::string>("system"))}});
  }
  inputs.messages.push_back({{"role", "user"}, {"content", replace_invalid_utf8(prompt)}});
  inputs.variables = template_variables(tokenizer);
  auto text = chat->render(inputs);
  if (!text) {
    text.error().file = line.has("chat-template") ? "" : file.path();
    return text.error();
  }
  // A template that writes BOS itself must not get a second one.
  return tokenizer.encode(*text, {.parse_special = true, .add_special = false});
}

}  // namespace aprx::app
