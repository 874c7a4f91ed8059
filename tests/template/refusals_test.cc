// What Jinja and Python refuse. Jinja 3.1 fails on each of these, too.
#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

constexpr const char* kRefused[] = {
    "{% for x in none %}a{% endfor %}",
    "{% for x in 5 %}a{% endfor %}",
    "{% for a, b in [[1, 2], [3]] %}{{ a }}{% endfor %}",
    "{% for a, b in [[1, 2, 3]] %}{{ a }}{% endfor %}",
    "{% set d2 = {'a': 1} %}{% set d2.b = 1 %}",
    "{% set a, b = [1] %}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(x=2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}",
    "{% macro m() %}x{% endmacro %}{% call m() %}body{% endcall %}",
    "{{ m() }}{% macro m() %}x{% endmacro %}",
    "{{ raise_exception('no ' ~ 1) }}",
    "{{ d.__class__.__name__ }}",
    "{% endif %}",
    "{% if %}{% endif %}",
    "{% for x %}{% endfor %}",
    "{% for x in l %}",
    "{% if t %}",
    "{{ 1",
    "{% set x 1 %}",
    "{{ 1 + }}",
    "{{ (1 }}",
    "{{ [1) }}",
    "{{ 'abc }}",
    "{{ a b }}",
    "{{ }}",
    "{# abc",
    "{% raw %}x",
    "{% unknown %}",
    "{% include 'x' %}",
    "{% break %}",
    "{{ 1 | }}",
    "{{ x. }}",
    "{{ f(a=1, 2) }}",
    "{% set 1 = 2 %}",
    "{% set none = 2 %}",
    "{% for 1 in l %}{% endfor %}",
    "{% macro m(a=1, b) %}{% endmacro %}",
    "{% call 1 %}{% endcall %}",
    "{{ 1 is }}",
    "{{ $ }}",
    "{{ 1 is defined is none }}",
    "{{ missing.x }}",
    "{{ missing['x'] }}",
    "{{ missing + 1 }}",
    "{{ missing > 1 }}",
    "{{ missing() }}",
    "{{ none + 1 }}",
    "{{ 1 + 'a' }}",
    "{{ 'a' + 1 }}",
    "{{ 'a' + none }}",
    "{{ [1] + 'a' }}",
    "{{ l + (1,) }}",
    "{{ 1 < 'a' }}",
    "{{ none < 1 }}",
    "{{ d < d }}",
    "{{ 'a' in none }}",
    "{{ 1 in 'abc' }}",
    "{{ 1 / 0 }}",
    "{{ 1 // 0 }}",
    "{{ 1 % 0 }}",
    "{{ 1.5 % 0 }}",
    "{{ -'a' }}",
    "{{ d.nothing() }}",
    "{{ d.update({'x': 1}) }}",
    "{{ d.pop('a') }}",
    "{{ 'abc'.x.y }}",
    "{{ {l: 1} }}",
    "{{ range(100001) }}",
    "{{ range(1, 2, 0) }}",
    "{{ range('a') }}",
    "{{ 'x' ~ 1 + 2 }}",
    "{{ d.a.b.c }}",
    "{{ d.missing.x }}",
    "{{ 0777 }}",
    "{{ 1 is nonexistent }}",
    "{{ missing | int }}",
    "{{ none | length }}",
    "{{ none | list }}",
    "{{ l | map('nonexistent') | list }}",
    "{{ l | nonexistent }}",
    "{{ d | dictsort(by='zz') }}",
    "{{ l | dictsort }}",
    "{{ [1, 'a'] | sort }}",
    "{{ [none, 1] | max }}",
    "{{ [[1], [1]] | unique | list }}",
    "{{ 5 | first }}",
    "{{ 5 | join }}",
    "{{ s.nothing() }}",
    "{{ l.append(1) }}",
    "{{ l.index(9) }}",
    "{{ 'abc'.index('z') }}",
    "{{ 'a'.center('b') }}",
    "{{ 'a'.replace('b') }}",
    "{{ 'a'.split('') }}",
    "{{ 'a'.join([1]) }}",
    "{{ '%d' % missing }}",
    "{{ '%s %s' % ('a',) }}",
    "{{ '%s' % ('a', 'b') }}",
    "{{ '%d' % 'a' }}",
    "{{ '{}'.format() }}",
    "{{ '{a}'.format() }}",
    "{{ '}'.format() }}",
    "{{ '%s%' % 1 }}",
    "{{ '%q' % 1 }}",
    "{{ '{:d}'.format(1.5) }}",
    "{{ '{:s}'.format(1) }}",
    "{{ '{:5}|'.format(none) }}",
    "{{ (l | map('string')) | tojson }}",
    "{{ d.items() | tojson }}",
    "{{ range(3) | tojson }}",
    "{{ missing | tojson }}",
    "{{ [missing] | tojson }}",
};

}  // namespace

TEST_CASE("what Jinja refuses is one error with the template's name and a line") {
  for (const char* source : kRefused) {
    INFO("template: " << source);
    const auto out = try_render(source);
    REQUIRE_FALSE(out.ok());
    CHECK(out.error().code == ErrorCode::kBadFile);
    CHECK(out.error().text().starts_with("tokenizer.chat_template: line 1: "));
    CHECK(out.error().text().find('\n') == std::string::npos);
  }
}

TEST_CASE("an error names the line it happened in, and what it was") {
  const auto found = [](const std::string& source) { return try_render(source).error().text(); };
  const std::string name = "tokenizer.chat_template: ";
  CHECK(found("a\nb\n{{ x.y }}\n") == name + "line 3: 'x' is undefined");
  CHECK(found("{% set a = 1 %}\n{% if a %}\n{{ a + 'b' }}{% endif %}") ==
        name + "line 3: unsupported operand types for +: 'int' and 'str'");
  CHECK(found("{{ d.missing.x }}") == name + "line 1: 'dict object' has no attribute 'missing'");
  CHECK(found("\n{% for m in l %}\n{{ m }}\n") ==
        name + "line 3: unexpected the end of the template, expected 'endfor' or 'else'");
  CHECK(found("{{ m.content }") == name + "line 1: unexpected '}'");
  CHECK(found("\n\n{{ s | frobnicate }}") == name + "line 3: no filter named 'frobnicate'");
  CHECK(found("{{ 1 is odder }}") == name + "line 1: no test named 'odder'");
  CHECK(found("{% include 'a' %}") == name + "line 1: the tag 'include' is not supported");
  CHECK(found("{{ l.append(1) }}") ==
        name +
            "line 1: access to attribute 'append' of 'list' object is unsafe: templates can't change values");
}

TEST_CASE("the message of raise_exception is in the error") {
  CHECK(try_render("{{ raise_exception('no chat here') }}").error().found ==
        "line 1: the template refuses: no chat here");
}

TEST_CASE("integers of more than 64 bits are refused, not wrapped") {
  CHECK(*try_render("{{ 9223372036854775807 }} {{ -9223372036854775807 - 1 }}") ==
        "9223372036854775807 -9223372036854775808");
  for (const char* source :
       {"{{ 9223372036854775808 }}", "{{ 9223372036854775807 + 1 }}", "{{ -9223372036854775807 - 2 }}",
        "{{ 2 ** 63 }}", "{{ 4611686018427387904 * 2 }}", "{{ (-9223372036854775807 - 1) // -1 }}",
        "{{ -(-9223372036854775807 - 1) }}", "{{ (-9223372036854775807 - 1) | abs }}"}) {
    INFO("template: " << source);
    const auto out = try_render(source);
    REQUIRE_FALSE(out.ok());
    CHECK(out.error().found.ends_with("does not fit in 64 bits"));
  }
  CHECK(*try_render("{{ (-9223372036854775807 - 1) % -1 }}") == "0");
}

}  // namespace aprx::test
