// Rendering of small templates for tests.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>

#include "runtime/template/chat_template.h"

namespace aprx::test {

struct Case {
  const char* source;
  const char* expected;
};

// The variables that the cases use.
inline nlohmann::ordered_json case_variables() {
  return nlohmann::ordered_json::parse(R"({
    "d": {"a": 1, "b": "x", "items": [1, 2], "n": null}, "dd": {"b": 1, "A": 2, "c": 0},
    "l": [3, 1, 2], "ll": [{"k": "b", "v": 2}, {"k": "A", "v": 1}, {"k": "a", "v": 3}],
    "nested": {"a": {"b": [{"c": 5}]}}, "words": ["Foo", "bar", "foo", "Baz"],
    "s": "Héllo Wörld", "e": "", "emo": "a🌍b", "ws": "  x y\n", "html": "<a & \"b\">",
    "z": 0, "f": 1.5, "n": null, "t": true})");
}

inline Result<std::string> try_render(const std::string& source, const TemplateLimits& limits = {}) {
  const auto parsed = ChatTemplate::parse(source, "tokenizer.chat_template");
  if (!parsed.ok()) return parsed.error();
  ChatTemplate::Inputs inputs;
  inputs.variables = case_variables();
  inputs.now = "2026-07-04T12:34:56";
  return parsed->render(inputs, limits);
}

// The render, or the error's text.
inline std::string rendered(const std::string& source, const TemplateLimits& limits = {}) {
  const auto out = try_render(source, limits);
  return out.ok() ? *out : out.error().text();
}

inline void check_cases(std::span<const Case> cases) {
  for (const Case& each : cases) {
    INFO("template: " << each.source);
    const auto out = try_render(each.source);
    if (out.ok()) {
      CHECK(*out == each.expected);
    } else {
      FAIL_CHECK(out.error().text());
    }
  }
}

}  // namespace aprx::test
