#include "core/base/utf8.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace aprx;

TEST_CASE("one replacement character for each maximal invalid part") {
  const std::string r = "\xEF\xBF\xBD";
  CHECK(replace_invalid_utf8("abc") == "abc");
  CHECK(replace_invalid_utf8("\x80") == r);
  CHECK(replace_invalid_utf8("\xE2\x82") == r);              // truncated at the end
  CHECK(replace_invalid_utf8("\xE2\x82z") == r + "z");       // cannot go on
  CHECK(replace_invalid_utf8("\xED\xA0\x80") == r + r + r);  // surrogate: each byte alone
  CHECK(replace_invalid_utf8("\xF0\x9F\x98\x80") == "\xF0\x9F\x98\x80");
  CHECK(replace_invalid_utf8("\xF0\x80\x80\x80") == r + r + r + r);  // overlong
  CHECK(replace_invalid_utf8("\xF4\x90\x80\x80") == r + r + r + r);  // above U+10FFFF
}

TEST_CASE("a step tells a truncated character from an invalid one") {
  CHECK(utf8_step("\xE2\x82", 0).status == Utf8Status::kTruncated);
  CHECK(utf8_step("\xE2\x28", 0).status == Utf8Status::kInvalid);
  const Utf8Step step = utf8_step("\xE2\x82\xAC", 0);
  CHECK(step.status == Utf8Status::kValid);
  CHECK(step.length == 3);
  CHECK(step.code_point == U'\u20AC');
}

TEST_CASE("code points are written in the shortest form") {
  std::string out;
  for (const char32_t c : {U'A', U'\u00E9', U'\u20AC', U'\U0001F600'}) append_utf8(out, c);
  CHECK(out == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(is_valid_utf8(out));
  CHECK_FALSE(is_valid_utf8("\xC0\xAF"));
}
