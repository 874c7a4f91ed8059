#include "app/signals.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace aprx::app {

namespace {

constexpr int kExitBadFile = 3;
constexpr int kExitInterrupted = 130;

std::atomic<bool> interrupt_seen{false};
std::array<char, 4096> mapped_file{};

void on_interrupt(int) {
  if (interrupt_seen.exchange(true)) ::_exit(kExitInterrupted);
}

// Only calls that are safe in a signal handler.
void on_bus_error(int) {
  const auto say = [](const char* text) { return ::write(STDERR_FILENO, text, std::strlen(text)) >= 0; };
  const bool said = say("aprx: ") && say(mapped_file.data()) &&
                    say(": the file was cut short while it was in use; start again with a whole file\n");
  static_cast<void>(said);
  ::_exit(kExitBadFile);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

std::atomic<bool>& interrupted() { return interrupt_seen; }

void install_signal_handlers() {
  handle(SIGINT, on_interrupt);
  handle(SIGTERM, on_interrupt);
  handle(SIGPIPE, SIG_IGN);
  handle(SIGBUS, on_bus_error);
}

void set_mapped_file(const std::string& path) {
  const size_t n = std::min(path.size(), mapped_file.size() - 1);
  std::copy_n(path.begin(), n, mapped_file.begin());
  mapped_file[n] = '\0';
}

}  // namespace aprx::app
