#include "app/terminal/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace aprx::app {

namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// NO_COLOR: https://no-color.org
bool has_colour(int descriptor) { return is_terminal(descriptor) && std::getenv("NO_COLOR") == nullptr; }

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool print(std::string_view text) { return write_all(STDOUT_FILENO, text); }

void note(std::string_view text) {
  // Nobody is left to tell when standard error is closed.
  static_cast<void>(write_all(STDERR_FILENO, text));
}

void print_error(const Error& error) {
  const bool colour = has_colour(STDERR_FILENO);
  note((colour ? "\x1b[31maprx:\x1b[0m " : "aprx: ") + error.text() + "\n");
}

}  // namespace aprx::app
