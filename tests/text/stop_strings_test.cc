#include "runtime/text/stop_strings.h"

#include <catch2/catch_test_macros.hpp>

#include "core/base/utf8.h"

namespace {

using aprx::StopStrings;

// All that is shown when the text comes in pieces of `step` bytes.
std::string shown(std::vector<std::string> stops, const std::string& text, size_t step) {
  StopStrings matcher(std::move(stops));
  std::string out;
  for (size_t at = 0; at < text.size(); at += step)
    out += matcher.push(std::string_view(text).substr(at, step));
  return out + matcher.flush();
}

}  // namespace

TEST_CASE("without stop strings text passes at once") {
  StopStrings matcher({});
  CHECK(matcher.push("abc") == "abc");
  CHECK_FALSE(matcher.stopped());
  CHECK(matcher.flush().empty());
}

TEST_CASE("a stop string inside one piece ends the text before it") {
  StopStrings matcher({"END"});
  CHECK(matcher.push("one END two") == "one ");
  CHECK(matcher.stopped());
  CHECK(matcher.push("three").empty());
  CHECK(matcher.flush().empty());
}

TEST_CASE("a stop string over several pieces is held back until it is whole") {
  StopStrings matcher({"\nUser:"});
  CHECK(matcher.push("hi\n") == "hi");
  CHECK(matcher.push("Us").empty());
  CHECK_FALSE(matcher.stopped());
  CHECK(matcher.push("er: more").empty());
  CHECK(matcher.stopped());
}

TEST_CASE("text that only looked like a stop string is shown after all") {
  StopStrings matcher({"\nUser:"});
  CHECK(matcher.push("hi\nUs") == "hi");
  CHECK(matcher.push("ual") == "\nUsual");
  CHECK(matcher.push(" \n") == " ");
  CHECK(matcher.flush() == "\n");
  CHECK_FALSE(matcher.stopped());
}

TEST_CASE("a stop string that starts over inside itself is found") {
  StopStrings matcher({"aab"});
  CHECK(matcher.push("aa").empty());
  CHECK(matcher.push("a") == "a");
  CHECK(matcher.push("b").empty());
  CHECK(matcher.stopped());
}

TEST_CASE("the stop string that ends first decides, of those the longest") {
  CHECK(shown({"abcd", "bc"}, "xabcd", 1) == "xa");
  CHECK(shown({"bc", "abc"}, "xabcd", 1) == "x");
  CHECK(shown({"d", "bcd"}, "xabcd", 5) == "xa");
}

TEST_CASE("what is shown does not depend on how the text is cut") {
  const std::vector<std::string> stops = {"</s>", "<end>", "\n\n", "abab"};
  for (const std::string text :
       {"x<s></s>y", "no stop at all <en", "abaabab", "a\nb\n\nc", "ab ab aba", "<<end>"}) {
    const std::string whole = shown(stops, text, text.size());
    for (size_t step = 1; step < text.size(); ++step) CHECK(shown(stops, text, step) == whole);
  }
}

TEST_CASE("pieces of whole characters give whole characters") {
  // The stop string and the text share the first byte of their characters.
  StopStrings matcher({"é!"});
  std::string out = matcher.push("ã");
  CHECK(out == "ã");
  out = matcher.push("é");
  CHECK(out.empty());
  out = matcher.push("ã");
  CHECK(out == "éã");
  CHECK(aprx::is_valid_utf8(out));
}

TEST_CASE("empty stop strings are ignored") {
  StopStrings matcher({"", "x"});
  CHECK(matcher.push("ab") == "ab");
  CHECK(matcher.push("cx") == "c");
  CHECK(matcher.stopped());
}
