// Options that commands share: where plugins lie, and how a model is planned.
#pragma once

#include "app/command_line.h"
#include "app/host.h"
#include "runtime/session/model.h"

namespace aprx::app {

// --plugin-dir, --model-dir, --verbose.
void add_host_options(CommandLine& line);
// --backend, --threads, --target, --ctx, --kv-type.
void add_model_options(CommandLine& line);

// --threads; add_model_options has it already.
void add_threads_option(CommandLine& line);

[[nodiscard]] HostOptions host_options(const CommandLine& line);
// Errors: kUsage, naming the option.
[[nodiscard]] Result<ModelOptions> model_options(const CommandLine& line);

// Fails where --threads is given and can't be.
[[nodiscard]] Result<void> check_threads(const CommandLine& line);

// The model argument, or an error that says how to give it.
[[nodiscard]] Result<std::string> model_argument(const CommandLine& line);

// The bytes of a file, or of standard input for "-".
[[nodiscard]] Result<std::string> read_text(const std::string& path);

}  // namespace aprx::app
