// The commands of the program: one file each in app/commands/.
#pragma once

#include <span>
#include <string>

namespace aprx::app {

using Arguments = std::span<const std::string>;

// Each returns the exit code (docs/exit-codes.md).
int run_command(Arguments arguments);
int logits_command(Arguments arguments);
int graph_command(Arguments arguments);
int tokenize_command(Arguments arguments);
int template_command(Arguments arguments);
int inspect_command(Arguments arguments);
int probe_command(Arguments arguments);
int qa_command(Arguments arguments);
int bench_command(Arguments arguments);
int validate_command(Arguments arguments);
int backends_command(Arguments arguments);

struct Command {
  const char* name;
  const char* summary;
  int (*run)(Arguments arguments);
};

}  // namespace aprx::app
