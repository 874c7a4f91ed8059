// Blocks: for, set, macros, call, filter, with, generation. The expected texts are those of Jinja 3.1 on
// Python 3.11.
#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

constexpr Case kCases[] = {
    {"{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ "
     "loop.revindex }}{{ loop.revindex0 }}{{ loop.depth }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor "
     "%}",
     "10TrueFalse33211;21FalseFalse321132;32FalseTrue31011;"},
    {"{% for x in [] %}a{% else %}b{% endfor %}", "b"},
    {"{% for x in l if x > 1 %}{{ x }}{{ loop.last }}{% else %}none{% endfor %}", "3False2True"},
    {"{% for x in l if x > 9 %}{{ x }}{% else %}none{% endfor %}", "none"},
    {"{% for k, v in d.items() %}{{ k }}={{ v }},{% endfor %}", "a=1,b=x,items=[1, 2],n=None,"},
    {"{% for k, v in d | dictsort %}{{ k }}={{ v }},{% endfor %}", "a=1,b=x,items=[1, 2],n=None,"},
    {"{% for (k, v) in d | items %}{{ k }}={{ v }},{% endfor %}", "a=1,b=x,items=[1, 2],n=None,"},
    {"{% for k in d %}{{ k }}{% endfor %}", "abitemsn"},
    {"{% for c in s %}{{ c }}.{% endfor %}", "H.é.l.l.o. .W.ö.r.l.d."},
    {"{% for x in l %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}", "3"},
    {"{% for x in l %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}", "32"},
    {"{% for x in missing %}a{% else %}e{% endfor %}", "e"},
    {"{% for x in l %}{{ loop.cycle('a', 'b') }}{% endfor %}", "aba"},
    {"{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{% endfor %}", "TrueFalseTrue"},
    {"{% for x in [{'v': 1, 'c': [{'v': 2, 'c': []}, {'v': 3, 'c': [{'v': 4, 'c': []}]}]}] recursive %}{{ "
     "x.v }}@{{ loop.depth }}({{ loop(x.c) }}){% endfor %}",
     "1@1(2@2()3@2(4@3()))"},
    {"{% set x = 1 %}{% for i in l %}{% set x = i %}{{ x }}{% endfor %}{{ x }}", "3121"},
    {"{% set ns = namespace(x=0) %}{% for i in l %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}", "6"},
    {"{% set ns = namespace() %}{% set ns.a = 1 %}{{ ns.a }}{{ ns.b is defined }}{{ ns['a'] }}", "1False1"},
    {"{% set a, b = 1, 2 %}{{ a }}{{ b }}", "12"},
    {"{% set a = 1, 2 %}{{ a }}", "(1, 2)"},
    {"{% set x %}a{{ 1 + 1 }}b{% endset %}{{ x }}|{{ x is string }}", "a2b|True"},
    {"{% set x | upper %}a{{ 1 }}b{% endset %}{{ x }}", "A1B"},
    {"{% set x | upper | replace('A', 'c') %}a{{ 1 }}b{% endset %}{{ x }}", "c1B"},
    {"{% set x %}{% set y = 1 %}{% endset %}{{ y is defined }}", "False"},
    {"{% if z %}a{% elif t %}b{% else %}c{% endif %}", "b"},
    {"{% if missing %}a{% else %}c{% endif %}", "c"},
    {"{% if z %}{% set q = 1 %}{% else %}{% set q = 2 %}{% endif %}{{ q }}", "2"},
    {"{% macro m(a, b=2, c='x') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }}|{{ m(1, 3) }}|{{ m(1, c='q') "
     "}}|{{ m(b=5, a=4) }}|{{ m() }}",
     "12x|13x|12q|45x|2x"},
    {"{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}", "11"},
    {"{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}", "(1, 2){'x': 3}"},
    {"{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}", "False"},
    {"{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}body{% endcall %}", "[body]"},
    {"{% macro m() %}[{{ caller(1, 2) }}]{% endmacro %}{% call(a, b) m() %}{{ a }}+{{ b }}{% endcall %}",
     "[1+2]"},
    {"{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}", "False"},
    {"{% macro fact(n) %}{% if n < 2 %}1{% else %}{{ n * (fact(n - 1) | int) }}{% endif %}{% endmacro %}{{ "
     "fact(6) }}",
     "720"},
    {"{% macro m() %}{{ q }}{% endmacro %}{% set q = 1 %}{{ m() }}{% set q = 2 %}{{ m() }}", "12"},
    {"{% for q in [7] %}{% macro m() %}{{ q }}{% endmacro %}{{ m() }}{% endfor %}{{ m is defined }}",
     "7False"},
    {"{% macro m() %}{% set w = 5 %}{% endmacro %}{{ m() }}{{ w is defined }}", "False"},
    {"{% macro a() %}<{{ b() }}>{% endmacro %}{% macro b() %}b{% endmacro %}{{ a() }}", "<b>"},
    {"{% macro m(x) %}{{ x }}{% endmacro %}{{ m('a') | upper }}{{ m('a') ~ m('b') }}{{ [m('x')] }}",
     "Aab['x']"},
    {"{% filter upper %}abc{{ s }}{% endfilter %}", "ABCHÉLLO WÖRLD"},
    {"{% filter upper | replace('A', 'x') %}abc{% endfilter %}", "xBC"},
    {"{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a is defined }}", "3False"},
    {"{% with %}{% set a = 1 %}{{ a }}{% endwith %}{{ a is defined }}", "1False"},
    {"{% set a = 5 %}{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}", "15"},
    {"{% generation %}x{{ 1 }}{% set gg = 1 %}{% endgeneration %}{{ gg is defined }}", "x1False"},
    {"x {% if t %}y{% endif %}", "x y"},
    {"{{ {'a': {'b': 1}} }}", "{'a': {'b': 1}}"},
    {"{% set x = {'a': {'b': 1}} %}{{ x.a.b }}", "1"},
    {"{% for m in ll %}{{ m.k }}{% if not loop.last %}, {% endif %}{% endfor %}", "b, A, a"},
    {"{% for g in ll | groupby('k') %}{{ g.grouper }}:{{ g.list | length }}:{{ g[0] }};{% endfor %}",
     "A:2:A;b:1:b;"},
    {"{% for k, g in ll | groupby('k') %}{{ k }}:{{ g | map(attribute='v') | list }};{% endfor %}",
     "A:[1, 3];b:[2];"},
    {"{% set gen = l | map('string') %}{{ gen | join }}{{ gen | join }}", "312"},
    {"{% set gen = l | select %}{% for x in gen %}{{ x }}{% endfor %}{% for x in gen %}{{ x }}{% endfor %}",
     "312"},
    {"{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.next() }}{{ c.reset() "
     "}}{{ c.next() }}",
     "abbaNonea"},
    {"{% set j = joiner('-') %}{% for x in l %}{{ j() }}{{ x }}{% endfor %}", "3-1-2"},
    {"{% set ns = namespace(found=false) %}{% for x in l if not ns.found %}{{ x }}{% set ns.found = true "
     "%}{% endfor %}",
     "3"},
    {"{% for x in l if loop is defined %}{{ x }}{% endfor %}", ""},
    {"{% for x in l %}{% for y in l %}{{ loop.index }}{% endfor %}{{ loop.index }};{% endfor %}",
     "1231;1232;1233;"},
    {"{% for x in l %}{% set outer = loop %}{% for y in [1] %}{{ outer.index }}{% endfor %}{% endfor %}",
     "123"},
    {"{% set x = x %}{{ x is defined }}", "False"},
    {"{% set s = s ~ '!' %}{{ s }}", "Héllo Wörld!"},
    {"{{ strftime_now('%Y-%m-%d %H:%M:%S %A %a %B %b %d %j %y %I %p %-d %e %%') }}",
     "2026-07-04 12:34:56 Saturday Sat July Jul 04 185 26 12 PM 4  4 %"},
    {"{{ strftime_now('%d %b %Y') }}", "04 Jul 2026"},
    {"{{ ''.__class__ }}", ""},
    {"{{ range(*[1, 3]) | list }}{{ dict(**{'a': 1}) }}", "[1, 2]{'a': 1}"},
};

}  // namespace

TEST_CASE("blocks do what Jinja does") { check_cases(kCases); }

}  // namespace aprx::test
