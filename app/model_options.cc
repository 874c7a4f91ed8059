#include "app/model_options.h"

#include <algorithm>
#include <cerrno>

#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

namespace aprx::app {

namespace po = boost::program_options;

namespace {

constexpr int kMostThreads = 1024;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out(1);
  for (const char c : list) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

Result<std::vector<std::string>> backends_of(const std::string& asked) {
  if (asked == "auto") return std::vector<std::string>();
  std::vector<std::string> names = split(asked);
  for (const std::string& name : names) {
    if (name.empty() || name == "auto") {
      return Error{ErrorCode::kUsage, "", "--backend", asked, "auto, or names separated by commas", ""};
    }
  }
  return names;
}

}  // namespace

void add_host_options(CommandLine& line) {
  line.section("Where things lie")
      .add_options()("plugin-dir", po::value<std::vector<std::string>>(),
                     "look for plugins here first (repeatable)")(
          "model-dir", po::value<std::vector<std::string>>(),
          "look for model descriptions here first (repeatable)")("verbose,v", po::bool_switch(),
                                                                 "log what is done, on standard error");
}

void add_model_options(CommandLine& line) {
  line.section("What runs where")
      .add_options()("backend", po::value<std::string>()->default_value("auto"),
                     "auto: the best backend that can run the model; NAME: that one or a refusal; A,B: the "
                     "first of these that can")("threads,t", po::value<int>(),
                                                "threads of the CPU (default: all that the process may use)")(
          "target", po::value<std::string>(),
          "instruction set of the CPU to use at most, as `aprx backends` lists them")(
          "ctx,c", po::value<int64_t>(), "context in tokens (default: the smaller of the model's and 8192)")(
          "kv-type", po::value<std::string>()->default_value("f16"),
          "type of the KV cache: f32, f16 or q8_0");
}

void add_threads_option(CommandLine& line) {
  line.section("Speed").add_options()("threads,t", po::value<int>(),
                                      "threads of the CPU (default: all that the process may use)");
}

HostOptions host_options(const CommandLine& line) {
  HostOptions options;
  if (line.has("plugin-dir")) options.plugin_dirs = line.get<std::vector<std::string>>("plugin-dir");
  if (line.has("model-dir")) options.model_dirs = line.get<std::vector<std::string>>("model-dir");
  options.verbose = line.flag("verbose");
  if (line.has("threads")) options.threads = static_cast<uint32_t>(std::max(0, line.get<int>("threads")));
  return options;
}

Result<ModelOptions> model_options(const CommandLine& line) {
  ModelOptions options;
  auto backends = backends_of(line.get<std::string>("backend"));
  if (!backends) return backends.error();
  options.backends = std::move(*backends);
  if (line.has("target")) options.target = line.get<std::string>("target");
  if (line.has("ctx")) options.context = line.get<int64_t>("ctx");
  if (auto ok = check_threads(line); !ok) return ok.error();
  const std::string kv = line.get<std::string>("kv-type");
  if (kv == "f32") {
    options.kv_dtype = DType::kF32;
  } else if (kv == "f16") {
    options.kv_dtype = DType::kF16;
  } else if (kv == "q8_0") {
    options.kv_dtype = DType::kQ8_0;
  } else {
    return Error{ErrorCode::kUsage, "", "--kv-type", kv, "f32, f16 or q8_0", ""};
  }
  return options;
}

Result<void> check_threads(const CommandLine& line) {
  if (!line.has("threads")) return {};
  const int threads = line.get<int>("threads");
  if (threads >= 1 && threads <= kMostThreads) return {};
  return Error{ErrorCode::kUsage, "", "--threads", std::to_string(threads), "1 to 1024", ""};
}

Result<std::string> model_argument(const CommandLine& line) {
  if (line.has("model")) return line.get<std::string>("model");
  return Error{ErrorCode::kUsage,
               "",
               "MODEL",
               "no model given",
               "the path of a model file",
               "for example models/aprx-tiny-qwen35-UD-Q4_K_M.gguf"};
}

Result<std::string> read_text(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream file(path, std::ios::binary);
  if (file) {
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file.bad()) return text;
  }
  return Error{ErrorCode::kBadFile, path, "", std::generic_category().message(errno), "a readable file", ""};
}

}  // namespace aprx::app
