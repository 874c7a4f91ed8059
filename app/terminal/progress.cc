#include "app/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/terminal/console.h"

namespace aprx::app {

namespace {

constexpr std::chrono::milliseconds kQuietAtFirst(300);
constexpr std::chrono::milliseconds kBetweenDraws(100);

}  // namespace

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      is_terminal_(aprx::app::is_terminal(STDERR_FILENO)),
      start_(std::chrono::steady_clock::now()),
      drawn_(start_) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) note("\r\x1b[K");
}

void ProgressLine::update(uint64_t done, uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || now - start_ < kQuietAtFirst || now - drawn_ < kBetweenDraws) return;
  drawn_ = now;
  is_shown_ = true;
  constexpr uint64_t kWidth = 30;
  const uint64_t filled = total == 0 ? kWidth : done * kWidth / total;
  const uint64_t percent = total == 0 ? 100 : done * 100 / total;
  note(fmt::format("\r{} [{:#<{}}{:.<{}}] {:3}%\x1b[K", what_, "", filled, "", kWidth - filled, percent));
}

}  // namespace aprx::app
