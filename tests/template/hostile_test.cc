// Templates that want to hang, to fill the memory or to overflow the stack. Each must end soon, with an
// error.
#include <ctime>

#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

std::string times(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string nested(const std::string& open, const std::string& inside, const std::string& close, int count) {
  return "{{ " + times(open, count) + inside + times(close, count) + " }}";
}

std::string grown(const std::string& step, const std::string& start = "[1]", const std::string& after = "") {
  return "{% set ns = namespace(a=" + start + ", b=" + start +
         ") %}{% for i in range(99999) %}{% set ns.a = " + step + " %}{% endfor %}" + after;
}

// Values that share their parts are small, but what walks through them sees 2^150 items.
std::string shared_parts(const std::string& open, const std::string& close, const std::string& use) {
  return "{% set ns = namespace(a=(), b=()) %}{% for i in range(150) %}{% set ns.a = " + open + "ns.a, ns.a" +
         close + " %}{% set ns.b = " + open + "ns.b, ns.b" + close + " %}{% endfor %}{{ " + use + " }}";
}

void check_stops(const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    INFO("template: " << source.substr(0, 200));
    const std::clock_t start = std::clock();
    const auto out = try_render(source);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    CHECK_FALSE(out.ok());
    if (!out.ok()) CHECK(out.error().subject == "tokenizer.chat_template");
    // The limit is half a second. What can't be stopped in between is short, even with sanitizers.
    CHECK(seconds < 4);
  }
}

}  // namespace

TEST_CASE("endless loops stop") {
  const std::string forever = "{% for i in range(99999) %}{% for j in range(99999) %}";
  const std::string end = "{% endfor %}{% endfor %}";
  check_stops({
      forever + "{% for k in range(99999) %}x{% endfor %}" + end,
      forever + end,
      "{% for i in range(1000000000) %}{% endfor %}",
      forever + "{% set x = namespace(a=1) %}" + end,
      forever + "{% macro m() %}{% endmacro %}" + end,
      "{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
      "{% set s = 'ab' * 1000000 %}" + forever + "{{ s.find('bb') }}" + end,
      "{% set s = [1] * 500000 %}{% set q = [1] * 500000 %}" + forever + "{% if s == q %}{% endif %}" + end,
      "{% set s = 'é' * 500000 %}" + forever + "{{ s[-1] }}{{ s[1:2] }}" + end,
      forever + "{{ ('x' * 100000).strip('abcdefghijklmnopqrstuvwx' * 4000) }}" + end,
  });
}

TEST_CASE("searching is linear") {
  // Enough for an unoptimized build under sanitizers; 10^12 comparisons would take minutes.
  const TemplateLimits limits{.max_time = std::chrono::seconds(10)};
  CHECK(rendered("{{ ('a' * 2000000).find('a' * 1000000 ~ 'b') }}", limits) == "-1");
  CHECK(rendered("{{ ('a' * 2000000).rfind('b' ~ 'a' * 1000000) }}", limits) == "-1");
  CHECK(rendered("{{ ('a' * 1000000 ~ 'b') in ('a' * 2000000) }}", limits) == "False");
}

TEST_CASE("endless recursion stops before the stack ends") {
  const std::string mutual =
      "{% macro f(x) %}{{ g(x) }}{% endmacro %}{% macro g(x) %}{% for i in [1] %}{% if true %}"
      "{{ [f(x)] | join }}{% endif %}{% endfor %}{% endmacro %}{{ f(1) }}";
  check_stops({
      "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
      "{% macro f(x) %}{{ f(x) }}{{ f(x) }}{% endmacro %}{{ f(1) }}",
      mutual,
      "{% macro f() %}{{ caller() }}{% call f() %}x{% endcall %}{% endmacro %}{% call f() %}{% endcall %}",
      "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
      "{% macro f(n) %}{{ 'x' * 9999999 }}{{ f(n) }}{% endmacro %}{{ f(1) }}",
  });
}

TEST_CASE("memory is bounded") {
  check_stops({
      grown("ns.a ~ ns.a", "'xxxxxxxx'"),
      grown("ns.a + ns.a", "'xxxxxxxx'"),
      grown("ns.a + ns.a"),
      "{{ ('x' * 99999) * 99999 }}",
      "{{ [0] * 1000000000 }}",
      "{{ ('x' * 9999) | replace('x', 'y' * 99999) }}",
      "{{ ('x' * 9999).replace('', 'y' * 99999) }}",
      "{{ range(9999) | join('y' * 99999) }}",
      "{{ ('y' * 99999).join(('x' * 9999) | list) }}",
      "{{ 'x' | center(99999999999) }}",
      "{{ 'x'.zfill(99999999999) }}",
      "{{ ('x\n' * 9999) | indent(99999) }}",
      "{{ 'x' | indent(9223372036854775807) }}",
      "{{ '%99999999999d' % 1 }}",
      "{{ '{:99999999999}'.format(1) }}",
      "{{ '%.99999999999f' % 1 }}",
      "{{ ('{0:99999}' * 9999).format(1) }}",
      "{{ [[[[1]]]] | tojson(indent=99999999) }}",
      "{{ ([[1]] * 9999) | tojson(indent=999999) }}",
      "{{ [1] | batch(9999999999, 1) | list }}",
      "{{ [1] | slice(9999999999) | list }}",
      "{{ ('\"' * 9999999) | e }}",
      "{{ ('\\x01' * 9999999) | tojson }}",
      "{{ ('a ' * 5000000).split() }}",
      "{{ ('x' * 5000000) | list }}",
      "{{ strftime_now('%c' * 9999999) }}",
      "{% set x %}{% for i in range(99999) %}{{ 'x' * 9999 }}{% endfor %}{% endset %}",
      "{% for i in range(99999) %}{{ 'x' * 9999 }}{% endfor %}",
  });
}

TEST_CASE("values can't be nested without end") {
  check_stops({
      grown("[ns.a]"),
      grown("{'a': ns.a}"),
      grown("cycler(ns.a)"),
      grown("[ns.a].index"),
      grown("joiner(ns.a)"),
      "{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns }}",
      shared_parts("[", "]", "ns.a == ns.b"),
      shared_parts("[", "]", "ns.a"),
      shared_parts("[", "]", "ns.a | tojson"),
      shared_parts("(", ")", "{ns.a: 1, ns.b: 2}"),
      shared_parts("(", ")", "ns.a < ns.b"),
  });
}

TEST_CASE("nested and long text doesn't overflow the stack of the parser or of the render") {
  check_stops({
      nested("(", "1", ")", 50000),
      nested("[", "", "]", 50000),
      nested("{1:", "1", "}", 50000),
      nested("not ", "1", "", 50000),
      nested("-", "1", "", 100000),
      nested("1 if 0 else ", "1", "", 15000),
      nested("1+", "1", "", 100000),
      nested("1 and ", "1", "", 30000),
      nested("", "d", ".a", 100000),
      nested("", "d", "[0]", 80000),
      nested("", "d", "()", 80000),
      nested("", "d", "|e", 100000),
      nested("", "1", " if 1", 40000),
      times("{% if 1 %}", 20000) + times("{% endif %}", 2),
      times("{% for a in [1] %}", 6000) + times("{% endfor %}", 6000),
      times("{% set x %}", 20000),
      times("{% macro m() %}", 10000),
      times("{#", 100000),
      times("{{", 100000),
      std::string(300000, 'x'),
  });
  CHECK(try_render("{% if 0 %}" + times("{% elif 0 %}", 15000) + "{% endif %}").ok());
  CHECK(try_render(nested("1~", "1", "", 100000)).ok());
}

TEST_CASE("objects that outlive their block are harmless") {
  CHECK(rendered("{% set ns = namespace() %}{% for i in [1, 2] %}{% macro m() %}{{ i }}{{ ns.m is defined }}"
                 "{% endmacro %}{% set ns.m = m %}{% endfor %}{{ ns.m() }}") == "2True");
  CHECK(rendered("{% set ns = namespace() %}{% for i in [1] %}{{ loop.changed(loop) }}{% set ns.l = loop %}"
                 "{% endfor %}{{ ns.l.index is defined }}") == "TrueFalse");
  CHECK(rendered("{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns.x == ns.x }}") == "True");
  CHECK_FALSE(
      try_render("{% set ns = namespace() %}{% for x in [1] recursive %}{% set ns.l = loop %}{% endfor %}"
                 "{{ ns.l([1]) }}")
          .ok());
}

TEST_CASE("limits are those that are asked for") {
  TemplateLimits limits;
  limits.max_output_bytes = 3;
  CHECK(rendered("abc", limits) == "abc");
  CHECK(rendered("abcd", limits) == "tokenizer.chat_template: line 1: stopped after 3 bytes of output");
  limits = {};
  limits.max_steps = 100;
  CHECK(rendered("{% for i in range(500) %}{% endfor %}", limits) ==
        "tokenizer.chat_template: line 1: stopped after 100 steps (does it end?)");
  limits = {};
  limits.max_depth = 10;
  CHECK(rendered("{{ [[[[[[[[[[[1]]]]]]]]]]] }}", limits) ==
        "tokenizer.chat_template: line 1: nested more than 10 levels deep (endless recursion?)");
}

}  // namespace aprx::test
