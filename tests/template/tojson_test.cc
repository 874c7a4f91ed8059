// tojson as transformers has it: no HTML escapes, not ASCII only. The expected texts are those of Jinja 3.1
// on Python 3.11.
#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

constexpr Case kCases[] = {
    {"{{ d | tojson }}", R"({"a": 1, "b": "x", "items": [1, 2], "n": null})"},
    {"{{ l | tojson }}", "[3, 1, 2]"},
    {"{{ {'a': [1, {'b': none}], 'c': []} | tojson(indent=2) }}", R"({
  "a": [
    1,
    {
      "b": null
    }
  ],
  "c": []
})"},
    {"{{ {'a': [], 'b': {}} | tojson(indent=4) }}", R"({
    "a": [],
    "b": {}
})"},
    {R"({{ 'é"\n\\/<>&\x7f\u2028' | tojson }})", "\"\303\251\\\"\\n\\\\/<>&\177\342\200\250\""},
    {R"({{ 'é🌍\x7f' | tojson(ensure_ascii=true) }})", R"("\u00e9\ud83c\udf0d\u007f")"},
    {"{{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }}", R"({"a": 2, "b": 1})"},
    {"{{ {'b': 1, 'a': 2} | tojson(separators=(',', ':')) }}", R"({"b":1,"a":2})"},
    {"{{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }}", R"({"1": 4, "null": 3, "1.5": 5})"},
    {"{{ (1, 2) | tojson }}", "[1, 2]"},
    {"{{ 1.0 | tojson }}", "1.0"},
    {"{{ 1e100 | tojson }}", "1e+100"},
    {"{{ 'x' | float | tojson }}", "0.0"},
    {"{{ ('inf' | float) | tojson }}", "Infinity"},
    {"{{ l | tojson | length }}", "9"},
    {R"({{ 'a\x00b' | tojson }})", R"("a\u0000b")"},
};

}  // namespace

TEST_CASE("tojson writes what json.dumps writes") { check_cases(kCases); }

}  // namespace aprx::test
