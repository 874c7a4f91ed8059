#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

#include "micro_file.h"
#include "runtime/model/lookup.h"

using namespace aprx;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kDescription = R"({
  "architecture": "toy",
  "let": {"E": "@width", "half": "E / 2", "per": "@list[i]"},
  "tensors": {"model": {"tok": ["#tok.0", "half * 2"], "norm": ["E"]}, "layer": {"w?": ["per"]}},
  "layers": "0", "layer": [{"op": "rms_norm", "in": "x", "w": "w", "eps": "0.1", "out": "x"}],
  "embed": [{"op": "embed", "in": "ids", "table": "tok", "out": "x"}],
  "head": [{"op": "logits", "in": "x", "norm": "norm", "eps": "0.1", "w": "tok", "out": "y"}],
  "schemes": {"gguf": {"keys": {"renamed": "$other.key + 1"}, "names": {"tok": "tok.weight", "norm": "norm.weight", "w": "{i}.w"}}}
})";

// Evaluates expressions over a small file.
class Toy {
 public:
  Toy() : description_(*Description::parse(kDescription, "toy.json")) {
    const auto add = [&](const char* key, Scalar value, const char* type) {
      file_.add_fact(key, {type, false, {value}});
    };
    add("toy.width", int64_t{32}, "uint32");
    add("toy.small", 0.25, "float32");
    add("toy.negative", int64_t{-3}, "int32");
    add("toy.big", INT64_MAX, "int64");
    add("toy.zero", int64_t{0}, "uint32");
    add("toy.name", std::string("yarn"), "string");
    add("toy.flag", true, "bool");
    add("other.key", int64_t{6}, "uint32");
    file_.add_fact("toy.list", {"array of uint32", true, {int64_t{7}, int64_t{8}}});
    file_.add_fact("toy.huge", {"uint64", false, {}});
    file_.add_tensor({"tok.weight", DType::kF16, DTypeStatus::kKnown, 1, "F16", {100, 32}});
  }

  [[nodiscard]] Result<Evaluated> scalar(const std::string& text, LayerIndex layer = std::nullopt) const {
    return lookup_.scalar(*parse_expression(text), layer);
  }
  [[nodiscard]] std::string value(const std::string& text, LayerIndex layer = std::nullopt) const {
    const auto out = scalar(text, layer);
    return out ? scalar_text(*out->value) : out.error().text();
  }
  [[nodiscard]] std::string integer(const std::string& text) const {
    const auto out = lookup_.integer(*parse_expression(text), std::nullopt);
    return out ? scalar_text(*out->value) : out.error().text();
  }

 private:
  Description description_;
  FileFacts file_{"toy.gguf", "gguf"};
  Lookup lookup_{description_, description_.schemes.at("gguf"), file_, "toy"};
};

std::string mistake(const std::string& text) {
  const auto out = parse_expression(text);
  return out ? "" : out.error().text();
}

}  // namespace

TEST_CASE("expressions compute integers and reals") {
  const Toy toy;
  CHECK(toy.value("1 + 2 * 3") == "7");
  CHECK(toy.value("(1 + 2) * 3") == "9");
  CHECK(toy.value("2 - 3 - 4") == "-5");
  CHECK(toy.value("24 / 2 / 3") == "4");
  CHECK(toy.value("7 % 4 + -2") == "1");
  CHECK(toy.value("1.5e2") == "150");
  CHECK(toy.value("7 / 2.0") == "3.5");
  CHECK(toy.value("1 / sqrt(16)") == "0.25");
  CHECK(toy.value("E*2+half") == "80");
  CHECK(toy.value("#tok.0 - #tok.1") == "68");
  CHECK(toy.value("@renamed") == "7");
  CHECK(toy.value("$other.key") == "6");
  CHECK(toy.value("@flag") == "true");
  CHECK(toy.value("@name") == "yarn");
  CHECK(toy.value("@negative / -1") == "3");
  CHECK(toy.value("@negative % -1") == "0");
}

TEST_CASE("an element of a list belongs to a layer or has a number") {
  const Toy toy;
  CHECK(toy.value("@list[i]", 1) == "8");
  CHECK(toy.value("per + 1", 0) == "8");
  CHECK(toy.value("@width[i]", 5) == "32");
  CHECK(toy.value("@list[1]") == "8");
  CHECK_THAT(toy.value("@list[i]", 2), ContainsSubstring("toy.list: has 2 items, expected at least 3"));
  CHECK_THAT(toy.value("@list[i]"), ContainsSubstring("toy.list: is wanted for a layer outside of layers"));
  CHECK_THAT(toy.value("@list"),
             ContainsSubstring("toy.list: has type array of uint32 (a list), expected one value"));
}

TEST_CASE("an alternative counts where a key is absent") {
  const Toy toy;
  CHECK(toy.value("@missing | 5") == "5");
  CHECK(toy.value("@width | 5") == "32");
  CHECK(toy.value("@missing + 1 | @gone | 5 + 1") == "6");
  CHECK(toy.value("(@missing | 2) * 3") == "6");
  CHECK(toy.value("@width | @missing") == "32");
  CHECK(toy.value("@missing | @gone") == "toy.gguf: toy.gone: is missing");
  CHECK(toy.value("1 + @missing") == "toy.gguf: toy.missing: is missing");
  CHECK_THAT(toy.value("1 / @zero | 5"), ContainsSubstring("division by zero"));
  CHECK(toy.scalar("@missing | @width")->sources.size() == 2);
}

TEST_CASE("arithmetic is checked and its errors name the keys") {
  const Toy toy;
  CHECK(toy.value("@width / @zero") ==
        "toy.gguf: toy.width: can't be computed with: division by zero (toy.width=32, toy.zero=0)");
  CHECK_THAT(toy.value("@width % @zero"), ContainsSubstring("division by zero"));
  CHECK_THAT(toy.value("@small / 0"), ContainsSubstring("division by zero"));
  CHECK_THAT(toy.value("@width / @negative"), ContainsSubstring("32 is not a multiple of -3"));
  CHECK_THAT(toy.value("@big + 1"), ContainsSubstring("larger than 64 bits (toy.big=9223372036854775807)"));
  CHECK_THAT(toy.value("@big * @negative"), ContainsSubstring("larger than 64 bits"));
  CHECK_THAT(toy.value("(-@big - 1) / -1"), ContainsSubstring("larger than 64 bits"));
  CHECK_THAT(toy.value("sqrt(@negative)"), ContainsSubstring("root of a negative number (toy.negative=-3)"));
}

TEST_CASE("a value of another type is refused by key") {
  const Toy toy;
  CHECK(toy.integer("@small + 1") == "toy.gguf: toy.small: has type float32 (0.25), expected an integer");
  CHECK(toy.integer("@name") == "toy.gguf: toy.name: has type string (yarn), expected a number");
  CHECK(toy.integer("@width - @flag") == "toy.gguf: toy.flag: has type bool (true), expected a number");
  CHECK(toy.integer("@huge") ==
        "toy.gguf: toy.huge: has type uint64 (out of range), expected a number of 64 bits");
  CHECK(toy.integer("#tok.0 / 2") == "50");
}

TEST_CASE("what is no expression is told with its column") {
  CHECK(mistake("1 +") == "the end at column 4 of '1 +', expected a name or a number");
  CHECK(mistake("(1") == "the end at column 3 of '(1', expected ')'");
  CHECK(mistake("1 2") == "'2' at column 3 of '1 2', expected an operator or the end");
  CHECK_THAT(mistake("@a[j]"), ContainsSubstring("'j]' at column 4"));
  CHECK_THAT(mistake("#tok"), ContainsSubstring("expected '.'"));
  CHECK_THAT(mistake("99999999999999999999"), ContainsSubstring("expected a number of 64 bits"));
  CHECK_THAT(mistake(std::string(5000, '(')), ContainsSubstring("expected less nesting"));
  CHECK_THAT(mistake(std::string(5000, '-')), ContainsSubstring("expected less nesting"));
  CHECK_FALSE(mistake("").empty());
  CHECK(parse_comparison("a < b").ok());
  CHECK(parse_comparison("(a | 1) >= b * 2")->sign == ">=");
  CHECK_FALSE(parse_comparison("a").ok());
  CHECK_FALSE(parse_comparison("a < b < c").ok());
  CHECK_FALSE(parse_comparison("a | b < c").ok());
}
