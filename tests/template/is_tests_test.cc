// The tests behind `is`. The expected texts are those of Jinja 3.1 on Python 3.11.
#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

constexpr Case kCases[] = {
    {"{{ d.missing is defined }}", "False"},
    {"{{ l[5] is defined }}", "False"},
    {"{{ n is none }}", "True"},
    {"{{ n is not none }}", "False"},
    {"{{ missing is undefined }}", "True"},
    {"{{ d is mapping }}", "True"},
    {"{{ l is sequence }}", "True"},
    {"{{ d is sequence }}", "True"},
    {"{{ s is sequence }}", "True"},
    {"{{ s is string }}", "True"},
    {"{{ 1 is number }}", "True"},
    {"{{ true is number }}", "True"},
    {"{{ true is integer }}", "False"},
    {"{{ 1 is integer }}", "True"},
    {"{{ 1.0 is float }}", "True"},
    {"{{ true is boolean }}", "True"},
    {"{{ l is iterable }}", "True"},
    {"{{ 1 is iterable }}", "False"},
    {"{{ missing is iterable }}", "True"},
    {"{{ missing is sequence }}", "True"},
    {"{{ missing is mapping }}", "False"},
    {"{{ d.items() is sequence }}", "False"},
    {"{{ d.items() is iterable }}", "True"},
    {"{{ 4 is divisibleby 2 }}", "True"},
    {"{{ 4 is divisibleby(3) }}", "False"},
    {"{{ 3 is odd }}", "True"},
    {"{{ 4 is even }}", "True"},
    {"{{ 'abc' is lower }}", "True"},
    {"{{ 'ABC' is upper }}", "True"},
    {"{{ 1 is eq 1 }}", "True"},
    {"{{ 1 is ne 2 }}", "True"},
    {"{{ 1 is lt 2 }}", "True"},
    {"{{ 2 is ge 2 }}", "True"},
    {"{{ 'a' is in 'abc' }}", "True"},
    {"{{ 'a' is in ['b'] }}", "False"},
    {"{{ 1 is sameas 1 }}", "True"},
    {"{{ true is sameas true }}", "True"},
    {"{{ true is true }}", "True"},
    {"{{ 1 is true }}", "False"},
    {"{{ false is false }}", "True"},
    {"{{ range is callable }}", "True"},
    {"{{ s is callable }}", "False"},
    {"{{ 'upper' is filter }}", "True"},
    {"{{ 'zzz' is filter }}", "False"},
    {"{{ 'odd' is test }}", "True"},
    {"{{ s is escaped }}", "False"},
    {"{{ ('x' if false) is defined }}", "False"},
    {"{{ range(0)[0] is defined }}", "False"},
    {"{{ none.x is defined }}", "False"},
    {"{{ s.nothing is defined }}", "False"},
    {"{{ loop is defined }}", "False"},
    {"{{ [1, 2] is sequence and (1) is not sequence }}", "True"},
    {"{{ 'a' is string and 'b' is string }}", "True"},
    {"{{ 'a' is not string }}", "False"},
    {"{{ d.b is string }}", "True"},
    {"{{ d.n is none and d.b }}", "x"},
    {"{{ f is float }}", "True"},
    {"{{ 'Ab1' is lower }}", "False"},
    {"{{ namespace() is mapping }}", "False"},
    {"{{ namespace() is string }}", "False"},
};

}  // namespace

TEST_CASE("tests answer as Jinja's") { check_cases(kCases); }

}  // namespace aprx::test
