#include "runtime/template/clock_format.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <optional>

namespace aprx::jinja {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int days_in(int year, int month) {
  constexpr std::array<int, 12> kDaysIn = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDaysIn[static_cast<size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

int day_of_year(const CalendarTime& time) {
  int day = time.day;
  for (int month = 1; month < time.month; ++month) day += days_in(time.year, month);
  return day;
}

// 0 is Sunday. The first of January of year 1 was a Monday.
int day_of_week(const CalendarTime& time) {
  const int years = time.year - 1;
  return (years + years / 4 - years / 100 + years / 400 + day_of_year(time)) % 7;
}

std::string padded_number(int number, int width, char fill = '0') {
  std::string digits = std::to_string(number);
  while (static_cast<int>(digits.size()) < width) digits.insert(digits.begin(), fill);
  return digits;
}

struct Number {
  int value;
  int width;
};

std::optional<Number> number_of(const CalendarTime& time, char directive) {
  switch (directive) {
    case 'd': return Number{time.day, 2};
    case 'H': return Number{time.hour, 2};
    case 'I': return Number{(time.hour + 11) % 12 + 1, 2};
    case 'j': return Number{day_of_year(time), 3};
    case 'm': return Number{time.month, 2};
    case 'M': return Number{time.minute, 2};
    case 'S': return Number{time.second, 2};
    case 'y': return Number{time.year % 100, 2};
    case 'Y': return Number{time.year, 1};
    case 'w': return Number{day_of_week(time), 1};
    case 'u': return Number{(day_of_week(time) + 6) % 7 + 1, 1};
    default: return std::nullopt;
  }
}

std::optional<std::string> word_of(const CalendarTime& time, char directive) {
  const std::string_view day = kDays[static_cast<size_t>(day_of_week(time))];
  const std::string_view month = kMonths[static_cast<size_t>(time.month - 1)];
  switch (directive) {
    case 'a': return std::string(day.substr(0, 3));
    case 'A': return std::string(day);
    case 'b':
    case 'h': return std::string(month.substr(0, 3));
    case 'B': return std::string(month);
    case 'e': return padded_number(time.day, 2, ' ');
    case 'p': return time.hour < 12 ? "AM" : "PM";
    case '%': return "%";
    case 'n': return "\n";
    case 't': return "\t";
    default: return std::nullopt;
  }
}

// Directives that stand for others.
std::string_view expansion_of(char directive) {
  switch (directive) {
    case 'c': return "%a %b %e %H:%M:%S %Y";
    case 'D':
    case 'x': return "%m/%d/%y";
    case 'F': return "%Y-%m-%d";
    case 'R': return "%H:%M";
    case 'T':
    case 'X': return "%H:%M:%S";
    default: return {};
  }
}

}  // namespace

Result<CalendarTime> parse_time(const std::string& text) {
  CalendarTime time{};
  char separator = 'T';
  int length = 0;
  const int count = std::sscanf(text.c_str(), "%4d-%2d-%2d%c%2d:%2d:%2d%n", &time.year, &time.month,
                                &time.day, &separator, &time.hour, &time.minute, &time.second, &length);
  const bool has_format =
      (count == 3 && text.size() == 10) ||
      (count == 7 && (separator == 'T' || separator == ' ') &&
       (static_cast<size_t>(length) == text.size() || text[static_cast<size_t>(length)] == '.'));
  const bool is_time = has_format && time.year >= 1 && time.month >= 1 && time.month <= 12 && time.day >= 1 &&
                       time.day <= days_in(time.year, time.month) && time.hour >= 0 && time.hour < 24 &&
                       time.minute >= 0 && time.minute < 60 && time.second >= 0 && time.second < 61;
  if (is_time) return time;
  return Error{
      ErrorCode::kUsage, {}, "time", "'" + text + "' is not a time", "one such as 2026-07-04T12:34:56", {}};
}

CalendarTime local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return {local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec};
}

Result<std::string> format_time(const CalendarTime& time, std::string_view format) {
  std::string out;
  for (size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      out += format[at];
      continue;
    }
    const bool drops_zeros = at + 1 < format.size() && format[at + 1] == '-';
    at += drops_zeros ? 2 : 1;
    const char directive = at < format.size() ? format[at] : '\0';
    if (const auto number = number_of(time, directive)) {
      out += padded_number(number->value, drops_zeros ? 1 : number->width);
    } else if (const auto word = word_of(time, directive)) {
      out += *word;
    } else if (const std::string_view expansion = expansion_of(directive); !expansion.empty()) {
      out += *format_time(time, expansion);
    } else {
      return Error{ErrorCode::kBadFile, {}, {}, "unknown directive in '" + std::string(format) + "'", {}, {}};
    }
  }
  return out;
}

}  // namespace aprx::jinja
