// Methods of str. The expected texts are those of Jinja 3.1 on Python 3.11.
#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

constexpr Case kCases[] = {
    {"{{ s.upper() }}", "HÉLLO WÖRLD"},
    {"{{ s.lower() }}", "héllo wörld"},
    {"{{ s.title() }}", "Héllo Wörld"},
    {R"({{ 'they\'re bill\'s'.title() }})", "They'Re Bill'S"},
    {"{{ 'straße'.upper() }}", "STRASSE"},
    {"{{ s.split() }}", "['Héllo', 'Wörld']"},
    {"{{ s.split('l') }}", "['Hé', '', 'o Wör', 'd']"},
    {"{{ s.split('l', 1) }}", "['Hé', 'lo Wörld']"},
    {"{{ s.rsplit('l', 1) }}", "['Héllo Wör', 'd']"},
    {"{{ ' a  b c '.split() }}", "['a', 'b', 'c']"},
    {"{{ ' a  b c '.split(none, 1) }}", "['a', 'b c ']"},
    {"{{ ' a  b c '.rsplit(none, 1) }}", "[' a  b', 'c']"},
    {"{{ ' a  b c '.split(' ') }}", "['', 'a', '', 'b', 'c', '']"},
    {"{{ 'a,b,c'.split(',', -1) }}", "['a', 'b', 'c']"},
    {"{{ 'a,b,c'.rsplit(',', 0) }}", "['a,b,c']"},
    {"{{ ''.split() }}", "[]"},
    {"{{ ''.split(',') }}", "['']"},
    {"{{ s.startswith('H') }}", "True"},
    {"{{ s.startswith(('x', 'H')) }}", "True"},
    {"{{ s.endswith('ld') }}", "True"},
    {"{{ s.startswith('l', 2) }}", "True"},
    {"{{ s.find('l') }}", "2"},
    {"{{ s.find('ö') }}", "7"},
    {"{{ s.rfind('l') }}", "9"},
    {"{{ s.find('zz') }}", "-1"},
    {"{{ s.count('l') }}", "3"},
    {"{{ 'aaa'.count('') }}", "4"},
    {"{{ s.replace('l', 'L') }}", "HéLLo WörLd"},
    {"{{ s.replace('l', 'L', 1) }}", "HéLlo Wörld"},
    {"{{ 'abc'.replace('', '-') }}", "-a-b-c-"},
    {"{{ 'abc'.replace('', '-', 2) }}", "-a-bc"},
    {"{{ ws.strip() }}", "x y"},
    {"{{ 'xxaxx'.strip('x') }}", "a"},
    {"{{ 'xyaxy'.lstrip('yx') }}", "axy"},
    {"{{ 'xyaxy'.rstrip('yx') }}", "xya"},
    {"{{ 'a-b-c'.partition('-') }}", "('a', '-', 'b-c')"},
    {"{{ 'a-b-c'.rpartition('-') }}", "('a-b', '-', 'c')"},
    {"{{ 'abc'.partition('-') }}", "('abc', '', '')"},
    {"{{ 'abc'.rpartition('-') }}", "('', '', 'abc')"},
    {R"({{ 'a\nb\r\nc\n'.splitlines() }})", "['a', 'b', 'c']"},
    {R"({{ 'a\nb\r\nc\n'.splitlines(true) }})", R"(['a\n', 'b\r\n', 'c\n'])"},
    {"{{ ','.join(['a', 'b']) }}", "a,b"},
    {"{{ ','.join('abc') }}", "a,b,c"},
    {"{{ 'abc'.isalpha() }}", "True"},
    {"{{ 'a1'.isalnum() }}", "True"},
    {"{{ '12'.isdigit() }}", "True"},
    {"{{ ' '.isspace() }}", "True"},
    {"{{ ''.isspace() }}", "False"},
    {"{{ 'abc'.islower() }}", "True"},
    {"{{ 'ABC'.isupper() }}", "True"},
    {"{{ 'aBc'.swapcase() }}", "AbC"},
    {"{{ '5'.zfill(3) }}", "005"},
    {"{{ '-5'.zfill(4) }}", "-005"},
    {"{{ 'a'.ljust(3) ~ '|' }}", "a  |"},
    {"{{ 'a'.rjust(3, '*') }}", "**a"},
    {"{{ 'ab'.center(5, '*') }}", "**ab*"},
    {"{{ 'a'.center(4, '*') }}", "*a**"},
    {"{{ 'abc'.removeprefix('a').removesuffix('c') }}", "b"},
    {"{{ l.index(1) }}", "1"},
    {"{{ l.count(1) }}", "1"},
    {"{{ (1, 2).count(2) }}", "1"},
    {"{{ cycler('a', 'b').next() }}", "a"},
    {R"({{ 'a\u00a0b'.split() }})", "['a', 'b']"},
    {R"({{ 'a\x0bb\x0cc\x1cd\u2028e\x85f'.splitlines() }})", "['a', 'b', 'c', 'd', 'e', 'f']"},
};

}  // namespace

TEST_CASE("methods give what Python's give") { check_cases(kCases); }

}  // namespace aprx::test
