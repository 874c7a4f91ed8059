#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/terminal/console.h"
#include "app/token_list.h"
#include "runtime/text/detokenizer.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

CommandLine command_line() {
  CommandLine line(
      "tokenize MODEL [--text TEXT | --file FILE | -] [OPTION…]",
      "Text to the model's token ids, separated by spaces on one line; with --decode, ids to text. Works\n"
      "on files that hold a vocabulary only.",
      {"aprx tokenize model.gguf --text \"Hello, world\"", "aprx tokenize model.gguf --decode 9707,11,1879"});
  line.section("Encoding")
      .add_options()("text", po::value<std::string>(), "the text")(
          "file", po::value<std::string>(), "a file whose raw bytes are the text; - is standard input")(
          "special", po::bool_switch(), "control tokens in the text are tokens")(
          "no-added", po::bool_switch(), "user-defined tokens in the text stay text")(
          "add-special", po::bool_switch(), "add BOS and EOS where the model asks for them");
  line.section("Decoding")
      .add_options()("decode", po::value<std::string>(), "ids to turn into text")(
          "skip-special", po::bool_switch(), "leave control tokens out")(
          "pushes", po::bool_switch(),
          "print a JSON array of what each id emits as text streams, the end last");
  line.section("Output").add_options()("json", po::bool_switch(), "print {\"ids\": […]} or {\"text\": …}");
  add_host_options(line);
  line.positional("model");
  line.positional("stdin");
  return line;
}

Error usage(const std::string& subject, const std::string& found, const std::string& expected) {
  return {ErrorCode::kUsage, "", subject, found, expected, ""};
}

Result<std::string> text_of(const CommandLine& line) {
  const bool from_stdin = line.has("stdin");
  if (from_stdin && line.get<std::string>("stdin") != "-") {
    return usage(line.get<std::string>("stdin"), "a second argument",
                 "one model; the text goes behind --text");
  }
  const int given = (line.has("text") ? 1 : 0) + (line.has("file") ? 1 : 0) + (from_stdin ? 1 : 0);
  if (given != 1) {
    return usage("text", given == 0 ? "not given" : "given more than once",
                 "one of --text, --file, - and --decode");
  }
  if (line.has("text")) return line.get<std::string>("text");
  return read_text(from_stdin ? "-" : line.get<std::string>("file"));
}

Result<void> encode(const CommandLine& line, const Tokenizer& tokenizer) {
  auto text = text_of(line);
  if (!text) return text.error();
  auto ids =
      tokenizer.encode(*text, {line.flag("special"), !line.flag("no-added"), line.flag("add-special")});
  if (!ids) return ids.error();
  if (line.flag("json")) {
    static_cast<void>(print(nlohmann::ordered_json{{"ids", *ids}}.dump() + "\n"));
    return {};
  }
  std::string out;
  for (const int32_t id : *ids) out += (out.empty() ? "" : " ") + std::to_string(id);
  static_cast<void>(print(out + "\n"));
  return {};
}

Result<void> decode(const CommandLine& line, const Tokenizer& tokenizer) {
  if (line.has("text") || line.has("file") || line.has("stdin")) {
    return usage("--decode", "given beside a text", "either a text or ids");
  }
  auto ids = parse_token_list(line.get<std::string>("decode"), "--decode");
  if (!ids) return ids.error();
  Detokenizer detokenizer(tokenizer, line.flag("skip-special"));
  nlohmann::ordered_json pushes = nlohmann::ordered_json::array();
  std::string text;
  for (const int32_t id : *ids) {
    if (!tokenizer.contains(id)) {
      return usage("--decode", std::to_string(id), "ids below " + std::to_string(tokenizer.size()));
    }
    pushes.push_back(detokenizer.push(id));
  }
  pushes.push_back(detokenizer.flush());
  for (const auto& piece : pushes) text += piece.get<std::string>();
  if (line.flag("pushes")) {
    static_cast<void>(print(pushes.dump() + "\n"));
  } else if (line.flag("json")) {
    static_cast<void>(print(nlohmann::ordered_json{{"text", text}}.dump() + "\n"));
  } else {
    static_cast<void>(print(text + "\n"));
  }
  return {};
}

Result<void> run(const CommandLine& line) {
  auto model = model_argument(line);
  if (!model) return model.error();
  auto host = Host::create(host_options(line));
  if (!host) return host.error();
  auto file = (*host)->registry().open_model(*model);
  if (!file) return file.error();
  auto tokenizer = tokenizer_of(**file);
  if (!tokenizer) return tokenizer.error();
  return line.has("decode") ? decode(line, **tokenizer) : encode(line, **tokenizer);
}

}  // namespace

int tokenize_command(Arguments arguments) {
  CommandLine line = command_line();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), false);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto done = run(line);
  return done ? 0 : fail(done.error(), line.flag("json"));
}

}  // namespace aprx::app
