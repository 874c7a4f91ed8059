// Typed access to metadata: what is converted, and how a wrong type is refused.
#include <catch2/catch_test_macros.hpp>

#include "tests/gguf/gguf_fixture.h"

namespace aprx::test {
namespace {

GgufWriter sample() {
  GgufWriter w;
  w.set_text("t", "text");
  w.set_u32("n", 7);
  w.set("f", GgufType::kFloat32, little_endian(2.0F));
  w.set("b", GgufType::kBool, std::string(1, '\0'));
  w.set("huge", GgufType::kUint64, little_endian<uint64_t>(uint64_t{1} << 63U));
  w.set("ts", GgufType::kArray, gguf_texts({"a"}));
  w.set("ns", GgufType::kArray, gguf_array(GgufType::kInt32, {little_endian<int32_t>(3)}));
  return w;
}

TEST_CASE("a missing key is an error that names file and key", "[gguf]") {
  GgufFixture fixture;
  auto file = fixture.open(sample());
  REQUIRE(file);
  const auto value = (*file)->integer("qwen35.block_count");
  REQUIRE_FALSE(value);
  CHECK(value.error().code == ErrorCode::kBadFile);
  CHECK(value.error().file == (fixture.folder / "m.gguf").string());
  CHECK(value.error().subject == "key qwen35.block_count");
  CHECK(value.error().found == "missing");
  CHECK((*file)->find("qwen35.block_count") == nullptr);
  CHECK((*file)->texts("none").error().found == "missing");
}

TEST_CASE("a key of another type is an error that says which and which was expected", "[gguf]") {
  GgufFixture fixture;
  auto file = fixture.open(sample());
  REQUIRE(file);
  const ModelFile& model = **file;
  CHECK(model.integer("t").error().found == "its type is string");
  CHECK(model.integer("t").error().expected == "an integer");
  CHECK(model.integer("f").error().found == "its type is float32");
  CHECK(model.integer("b").error().found == "its type is bool");
  CHECK(model.integer("huge").error().found == "the value is 9223372036854775808");
  CHECK(model.real("t").error().expected == "a number");
  CHECK(model.text("n").error().expected == "a string");
  CHECK(model.boolean("n").error().expected == "a bool");
  CHECK(model.texts("t").error().expected == "an array of strings");
  CHECK(model.texts("ns").error().found == "its type is array of int32");
  CHECK(model.integers("ts").error().expected == "an array of integers");
  CHECK(model.reals("ts").error().expected == "an array of numbers");
}

TEST_CASE("integers are taken for reals, alone and in arrays", "[gguf]") {
  GgufFixture fixture;
  auto file = fixture.open(sample());
  REQUIRE(file);
  CHECK(*(*file)->real("n") == 7.0);
  CHECK(*(*file)->reals("ns") == std::vector<double>{3.0});
  CHECK(*(*file)->boolean("b") == false);
}

}  // namespace
}  // namespace aprx::test
