#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <system_error>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/signals.h"
#include "app/terminal/console.h"
#include "app/terminal/progress.h"
#include "app/token_list.h"
#include "core/route/render.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

CommandLine command_line() {
  CommandLine line(
      "logits MODEL (--tokens IDS | --tokens-file FILE) --out FILE.npy [OPTION…]",
      "Runs the model over the given tokens and writes its logits at every position: float32\n"
      "[tokens, vocabulary] in NumPy's format. Each token is taken as given (teacher forcing); no BOS is\n"
      "added. For comparing implementations.",
      {"aprx logits model.gguf --tokens 1,2,3 --out logits.npy",
       "aprx logits model.gguf --tokens 1,2,3 --out logits.npy --chunk 1   # token by token"});
  line.section("Input and output")
      .add_options()("tokens", po::value<std::string>(), "token ids, separated by commas")(
          "tokens-file", po::value<std::string>(),
          "file of token ids, separated by commas or white space; - is standard input")(
          "out,o", po::value<std::string>(), "the .npy file to write")(
          "chunk", po::value<uint32_t>()->default_value(512), "tokens processed at once");
  add_model_options(line);
  add_host_options(line);
  line.positional("model");
  return line;
}

Result<std::vector<int32_t>> tokens_of(const CommandLine& line) {
  if (line.has("tokens") == line.has("tokens-file")) {
    return Error{ErrorCode::kUsage,
                 "",
                 "--tokens",
                 line.has("tokens") ? "given beside --tokens-file" : "not given",
                 "one of --tokens and --tokens-file",
                 ""};
  }
  if (line.has("tokens")) return parse_token_list(line.get<std::string>("tokens"), "--tokens");
  auto text = read_text(line.get<std::string>("tokens-file"));
  if (!text) return text.error();
  return parse_token_list(*text, line.get<std::string>("tokens-file"));
}

// A .npy file that appears under its name only when it is whole.
// Format: NumPy enhancement proposal 1, version 1.0.
class NpyWriter {
 public:
  static Result<NpyWriter> create(const std::string& path, size_t rows, size_t columns) {
    NpyWriter writer(path);
    if (writer.file_ == nullptr) return writer.failed();
    std::string header =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    constexpr size_t kPrefix = 10;
    constexpr size_t kAlignment = 64;
    header.resize((kPrefix + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kPrefix - 1,
                  ' ');
    header += '\n';
    std::string start("\x93NUMPY\x01\x00", 8);
    start += static_cast<char>(header.size() & 0xFFU);
    start += static_cast<char>(header.size() >> 8U);
    start += header;
    if (std::fwrite(start.data(), 1, start.size(), writer.file_.get()) != start.size())
      return writer.failed();
    return writer;
  }
  Result<void> append(std::span<const float> values) {
    if (std::fwrite(values.data(), sizeof(float), values.size(), file_.get()) != values.size())
      return failed();
    return {};
  }
  Result<void> finish() {
    if (std::fclose(file_.release()) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) return failed();
    part_.clear();
    return {};
  }
  NpyWriter(NpyWriter&&) = default;
  NpyWriter& operator=(NpyWriter&&) = default;
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;
  ~NpyWriter() {
    if (file_ != nullptr) std::remove(part_.c_str());
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit NpyWriter(const std::string& path)
      : path_(path), part_(path + ".part"), file_(std::fopen(part_.c_str(), "wb")) {}
  Error failed() const {
    return {ErrorCode::kLimit,
            path_,
            "",
            std::generic_category().message(errno),
            "a file that can be written",
            ""};
  }

  std::string path_;
  std::string part_;
  std::unique_ptr<std::FILE, Close> file_;
};

Result<void> check_tokens(const std::vector<int32_t>& tokens, const Graph& graph) {
  const int64_t vocabulary = graph.tensor(graph.logits).shape.back();
  for (const int32_t token : tokens) {
    if (token < vocabulary) continue;
    return Error{ErrorCode::kUsage,
                 "",
                 "--tokens",
                 std::to_string(token),
                 "ids below " + std::to_string(vocabulary),
                 ""};
  }
  if (static_cast<int64_t>(tokens.size()) <= graph.context) return {};
  return Error{ErrorCode::kLimit,
               "",
               "--tokens",
               std::to_string(tokens.size()) + " tokens",
               "at most " + std::to_string(graph.context),
               "a larger --ctx holds more"};
}

Result<void> write_logits(Executor& executor, const std::vector<int32_t>& tokens, const std::string& path) {
  const Graph& graph = executor.route().graph();
  const auto vocabulary = static_cast<size_t>(graph.tensor(graph.logits).shape.back());
  auto writer = NpyWriter::create(path, tokens.size(), vocabulary);
  if (!writer) return writer.error();
  auto state = executor.new_state();
  if (!state) return state.error();
  const size_t chunk = executor.route().policy().tokens_max;
  std::vector<int32_t> rows(chunk);
  for (size_t i = 0; i < chunk; ++i) rows[i] = static_cast<int32_t>(i);
  std::vector<float> logits(chunk * vocabulary);
  ProgressLine progress("logits");
  for (size_t at = 0; at < tokens.size(); at += chunk) {
    const size_t n = std::min(chunk, tokens.size() - at);
    const auto wanted = std::span(logits).first(n * vocabulary);
    auto ok = executor.run(*state, std::span(tokens).subspan(at, n), std::span(rows).first(n), wanted);
    if (ok) ok = writer->append(wanted);
    if (!ok) return ok;
    progress.update(at + n, tokens.size());
  }
  return writer->finish();
}

Result<void> run(const CommandLine& line) {
  auto model = model_argument(line);
  if (!model) return model.error();
  if (!line.has("out"))
    return Error{ErrorCode::kUsage, "", "--out", "not given", "the .npy file to write", ""};
  auto tokens = tokens_of(line);
  if (!tokens) return tokens.error();
  auto options = model_options(line);
  if (!options) return options.error();
  const uint32_t chunk = line.get<uint32_t>("chunk");
  if (chunk == 0) return Error{ErrorCode::kUsage, "", "--chunk", "0", "at least 1", ""};
  auto host = Host::create(host_options(line));
  if (!host) return host.error();
  options->threads = (*host)->threads();
  options->tokens_max = chunk;
  options->wants_all_logits = true;
  auto planned = plan_model((*host)->registry(), (*host)->descriptions(), *model, *options);
  if (!planned) return planned.error();
  if (auto ok = check_tokens(*tokens, planned->route.graph()); !ok) return ok;
  note(backend_line(planned->route));
  set_mapped_file(planned->file->path());
  auto executor = Executor::create(std::move(planned->route), *planned->file, {});
  if (!executor) return executor.error();
  return write_logits(**executor, *tokens, line.get<std::string>("out"));
}

}  // namespace

int logits_command(Arguments arguments) {
  CommandLine line = command_line();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), false);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto done = run(line);
  return done ? 0 : fail(done.error(), false);
}

}  // namespace aprx::app
