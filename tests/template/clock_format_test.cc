#include "runtime/template/clock_format.h"

#include <catch2/catch_test_macros.hpp>

namespace aprx::jinja {

namespace {

std::string formatted(const std::string& time, const std::string& format) {
  const auto parsed = parse_time(time);
  REQUIRE(parsed.ok());
  return *format_time(*parsed, format);
}

}  // namespace

TEST_CASE("dates are written in English whatever the locale") {
  CHECK(formatted("2026-07-04T12:34:56", "%d %B %Y, %A %a %b") == "04 July 2026, Saturday Sat Jul");
  CHECK(formatted("2024-02-29T00:05:09", "%H:%M:%S %I%p %j %y %w %u") == "00:05:09 12AM 060 24 4 4");
  CHECK(formatted("2023-12-31T23:00:00", "%-d/%-m %-H %-I %e|%F|%T|%D|%j %A") ==
        "31/12 23 11 31|2023-12-31|23:00:00|12/31/23|365 Sunday");
  CHECK(formatted("2000-01-01", "%c %% %-j %a") == "Sat Jan  1 00:00:00 2000 % 1 Sat");
}

TEST_CASE("what is no time, and unknown directives, are refused") {
  for (const char* text :
       {"", "now", "2026-13-01T00:00:00", "2026-02-29", "2026-07-04T24:00:00", "2026-07-04T12:34"}) {
    INFO(text);
    CHECK_FALSE(parse_time(text).ok());
  }
  CHECK(parse_time("nope").error().text() ==
        "time: 'nope' is not a time, expected one such as 2026-07-04T12:34:56");
  CHECK_FALSE(format_time(*parse_time("2026-07-04"), "%Q").ok());
  CHECK_FALSE(format_time(*parse_time("2026-07-04"), "%").ok());
  CHECK_FALSE(format_time(*parse_time("2026-07-04"), "%-").ok());
}

}  // namespace aprx::jinja
