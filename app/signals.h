// What the program does on Ctrl-C, on a closed pipe, and when a mapped file shrinks under it.
#pragma once

#include <atomic>
#include <string>

namespace aprx::app {

// True from the first Ctrl-C on; a second one ends the program at once.
[[nodiscard]] std::atomic<bool>& interrupted();

// Installs the handlers. A closed pipe shows as a failed write.
void install_signal_handlers();

// Names the file that a bus error will be blamed on: mapped weights whose file was cut short.
void set_mapped_file(const std::string& path);

}  // namespace aprx::app
