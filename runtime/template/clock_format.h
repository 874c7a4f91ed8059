// Calendar time as text, in English whatever the locale, for the dates that chat templates write.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace aprx::jinja {

struct CalendarTime {
  int year, month, day;  // month and day count from 1
  int hour, minute, second;
};

// "2026-07-04T12:34:56", or with a blank for the T, or only the date. Usage error if it is no such time.
Result<CalendarTime> parse_time(const std::string& text);
[[nodiscard]] CalendarTime local_time();

// strftime's %a %A %b %B %c %d %D %e %F %H %I %j %m %M %p %S %T %u %w %x %X %y %Y %%, and %-d and its like,
// which drop leading zeros. An error for other directives.
Result<std::string> format_time(const CalendarTime& time, std::string_view format);

}  // namespace aprx::jinja
