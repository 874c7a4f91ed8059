// White space control, comments and raw blocks, with trim_blocks and lstrip_blocks. The expected texts are
// those of Jinja 3.1 on Python 3.11.
#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

constexpr Case kCases[] = {
    {"{% raw %}{{ x }}{% y %}{% endraw %}", "{{ x }}{% y %}"},
    {"a{%- raw -%} b {%- endraw -%} c", "abc"},
    {R"(  {% raw %}
x
  {% endraw %}
y
a {#- c -#} b)",
     R"(
x
y
ab)"},
    {"a {# c #} b", "a  b"},
    {R"(  {# c #}
x)",
     "x"},
    {"{{ 1 }} {{- 2 }} {{ 3 -}} {{ 4 }}", "12 34"},
    {"a  {%- if t -%}  b  {%- endif -%}  c", "abc"},
    {R"(  {% if t %}
  b
  {% endif %}
c)",
     R"(  b
c)"},
    {R"(  {%+ if t %}
  b
  {%+ endif +%}
c)",
     R"(    b
  
c)"},
    {R"({% if t +%}
 b
{% endif %})",
     R"(
 b
)"},
    {"{{ '{{' }}{{ '%}' }}", "{{%}"},
    {R"({% set x = 5 -%}

  {{ x }})",
     "5"},
    {"line1\015\nline2\015{% if t %}\015\nx{% endif %}\n", R"(line1
line2
x)"},
    {R"(trailing
)",
     "trailing"},
    {R"(trailing

)",
     R"(trailing
)"},
};

}  // namespace

TEST_CASE("white space goes where Jinja lets it go") { check_cases(kCases); }

}  // namespace aprx::test
