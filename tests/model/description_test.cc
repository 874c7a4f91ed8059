#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "runtime/model/description.h"

using namespace aprx;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

// A description that uses every construct; tests break one thing at a time.
const char* const kText = R"({
  // Comments are allowed.
  "architecture": ["toy", "toy2"],
  "let": {"E": "@width", "N": "@blocks"},
  "requires": ["E > 0"],
  "tensors": {
    "model": {"tok": ["#tok.0", "E"], "norm": ["E"], "head?": ["#tok.0", "E"]},
    "layer": {"pre": ["E"], "w": ["E"], "post?": ["E"]},
    "draft": {"extra": ["E"]}
  },
  "kinds": {"one": {"has": "w"}, "two": {"has": "post"}},
  "cross_check": [{"every": "@period", "last": "two", "rest": "one"}, {"key": "@list[i]", "values": {"1": "one", "2": "two"}}],
  "fragments": {"a": [{"op": "rms_norm", "in": "x", "w": "w", "eps": "0.1", "out": "x"}], "b": [{"use": "c"}],
                "c": [{"op": "scale", "in": "x", "factor": {"kind": {"one": "1", "two": "2"}}, "out": "x"}]},
  "layers": "N",
  "embed": [{"op": "embed", "in": "ids", "table": "tok", "out": "x"}],
  "layer": [
    {"op": "rms_norm", "in": "x", "w": "pre", "eps": "0.1", "out": "x"},
    {"kind": {"one": [{"use": "a"}], "two": [{"use": "b"}]}},
    {"either": [{"has": "post", "use": "b"}, {"use": "a"}]},
    {"op": "scale", "optional": "@factor", "in": "x", "factor": "@factor", "out": "x"},
    {"op": "rms_norm", "optional": "post", "in": "x", "w": "post", "eps": "0.1", "out": "x"},
    {"op": "unary", "in": "x", "act": {"map": "@act | 1", "to": {"1": "silu", "2": "tanh"}}, "out": "x"},
    {"op": "unary", "in": "x", "act": "scheme.act", "out": "x"}
  ],
  "head": [{"op": "logits", "in": "x", "norm": "norm", "eps": "0.1", "w": {"either": ["head", "tok"]}, "out": "y"}],
  "schemes": {"gguf": {"set": {"act": "sigmoid"}, "keys": {"width": "$toy.wide"}, "ignored": ["junk.*"],
    "names": {"tok": "tok", "norm": ["norm", "old_norm"], "head": "head", "pre": "{i}.pre", "w": "{i}.w", "post": "{i}.post", "extra": "{i}.extra"}}}
})";

std::string mistake(const std::string& text) {
  const auto parsed = Description::parse(text, "toy.json");
  return parsed ? "" : parsed.error().text();
}

// The mistake after setting the value at a JSON pointer.
std::string after(const char* pointer, const Json& value) {
  Json json = Json::parse(kText, nullptr, true, true);
  json[Json::json_pointer(pointer)] = value;
  return mistake(json.dump());
}

std::string without(const char* parent, const char* key) {
  Json json = Json::parse(kText, nullptr, true, true);
  json[Json::json_pointer(parent)].erase(key);
  return mistake(json.dump());
}

}  // namespace

TEST_CASE("a description with every construct parses") {
  CHECK(mistake(kText) == "");
  const auto parsed = Description::parse(kText, "toy.json");
  CHECK(parsed->architectures == std::vector<std::string>{"toy", "toy2"});
  CHECK(parsed->tensors.at("head").is_optional);
  CHECK(parsed->schemes.at("gguf").names.at("norm") == std::vector<std::string>{"norm", "old_norm"});
}

TEST_CASE("what isn't JSON is told by line") {
  CHECK(mistake("{\n  \"let\": }") == "toy.json: line 2, column 10: is not valid JSON here");
  CHECK(mistake("") == "toy.json: line 1, column 1: is not valid JSON here");
  CHECK(mistake("[]") == "toy.json: description: is array, expected an object");
}

TEST_CASE("unknown things are errors with their JSON path") {
  CHECK(after("/surprise", 1) == "toy.json: surprise: is not a key that descriptions have here");
  CHECK(after("/layer/0/op", "norm") == "toy.json: layer[0].op: 'norm' is no operator");
  CHECK(after("/layer/0/colour", "1") ==
        "toy.json: layer[0].colour: is neither operand nor attribute of rms_norm");
  CHECK(after("/layer/0/x", "tok") == "toy.json: layer[0].x: is neither operand nor attribute of rms_norm");
  CHECK(after("/layer/0/w", "nothing") == "toy.json: layer[0].w: 'nothing' is no role of this description");
  CHECK(after("/layer/0/eps", "epsilon") ==
        "toy.json: layer[0].eps: 'epsilon' is no name in let of this description");
  CHECK(after("/layer/2/either/1/use", "z") ==
        "toy.json: layer[2].either[1].use: 'z' is no fragment of this description");
  CHECK(after("/layer/6/act", "scheme.actor") ==
        "toy.json: layer[6].act: 'actor' is no entry of schemes.gguf.set of this description");
  CHECK(after("/layer/5/act/to/2", "neox") ==
        "toy.json: layer[5].act.to.2: 'neox' is no word that this attribute takes");
  CHECK(after("/schemes/gguf/names/what", "x") ==
        "toy.json: schemes.gguf.names.what: is no role of this description");
  CHECK(after("/schemes/gguf/set/act", "blue") ==
        "toy.json: schemes.gguf.set.act: is no word that an attribute takes");
  CHECK(after("/tensors/other", Json::object()) ==
        "toy.json: tensors.other: is not a key that descriptions have here");
  CHECK(after("/cross_check/0/rest", "three") == "toy.json: cross_check[0]: 'three' is no kind of layer");
  CHECK(after("/kinds/one/absent", "w") ==
        "toy.json: kinds.one.absent: is not a key that descriptions have here");
}

TEST_CASE("unused things are errors") {
  CHECK(after("/tensors/model/spare", Json::array({"E"})) ==
        "toy.json: schemes.gguf.names: has no name for role 'spare'");
  Json json = Json::parse(kText, nullptr, true, true);
  json["tensors"]["model"]["spare"] = {"E"};
  json["schemes"]["gguf"]["names"]["spare"] = "spare";
  CHECK(mistake(json.dump()) == "toy.json: role 'spare': is not used");
  CHECK(after("/fragments/d", Json::array()) == "toy.json: fragment 'd': is not used");
  CHECK(after("/let/Z", "1") == "toy.json: name in let 'Z': is not used");
  CHECK(after("/schemes/gguf/set/other", "silu") ==
        "toy.json: entry of schemes.gguf.set 'other': is not used");
}

TEST_CASE("missing and malformed things are errors") {
  CHECK(without("", "layers") == "toy.json: description: lacks 'layers'");
  CHECK(without("/layer/0", "w") == "toy.json: role 'pre': is not used");
  CHECK(without("/layer/0", "eps") == "toy.json: layer[0]: lacks attribute 'eps'");
  CHECK(without("/head/0", "norm") == "toy.json: head[0]: lacks operand 'norm'");
  CHECK(without("/layer/0", "in") ==
        "toy.json: layer[0].in: doesn't name what rms_norm reads, expected 1 names");
  CHECK(after("/embed/0/in", "x") == "toy.json: embed[0].in: doesn't name what embed reads, expected ids");
  CHECK(without("/layer/0", "out") == "toy.json: layer[0].out: doesn't name what rms_norm gives");
  CHECK(after("/layer/3/out", "z") == "toy.json: layer[3].out: is none of 'in', but the node is optional");
  CHECK(after("/layers", 3) == "toy.json: layers: is number, expected a text");
  CHECK_THAT(after("/requires/0", "E"),
             ContainsSubstring("toy.json: requires[0]: the end at column 2 of 'E'"));
  CHECK_THAT(after("/let/E", "1 +"), ContainsSubstring("toy.json: let.E: the end at column 4"));
  CHECK(after("/layer/1/kind", Json{{"one", Json::array({Json{{"use", "a"}}})}}) ==
        "toy.json: layer[1]: doesn't have exactly one entry for each kind of layer");
  CHECK(without("/fragments/c/0/factor/kind", "two") ==
        "toy.json: fragments.c[0].factor: doesn't have exactly one entry for each kind of layer");
  CHECK(after("/tensors/layer/tok", Json::array({"E"})).find("is a second 'tok'") != std::string::npos);
  CHECK(after("/layer/5/act/to/1", Json::object()) ==
        "toy.json: layer[5].act.to.1: is an object, expected a text");
}

TEST_CASE("circles are refused") {
  Json json = Json::parse(kText, nullptr, true, true);
  json["let"]["N"] = "E + 1";
  json["let"]["E"] = "N - 1";
  CHECK(mistake(json.dump()) == "toy.json: let.E: depends on itself");
  CHECK(after("/fragments/c/0", Json{{"use", "b"}}) == "toy.json: fragments.b: uses itself");
}
