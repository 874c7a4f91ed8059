// Models in several files.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstring>
#include <optional>

#include "tests/gguf/gguf_fixture.h"

namespace aprx::test {
namespace {

std::string shard_name(int number, int count) {
  return "m-0000" + std::to_string(number) + "-of-0000" + std::to_string(count) + ".gguf";
}

struct Keys {
  uint16_t number;
  std::optional<uint16_t> count;
  std::optional<int32_t> tensors = {};
};

GgufWriter shard(const Keys& keys, const std::string& tensor) {
  GgufWriter w;
  w.set("split.no", GgufType::kUint16, little_endian(keys.number));
  if (keys.count) w.set("split.count", GgufType::kUint16, little_endian(*keys.count));
  if (keys.tensors) w.set("split.tensors.count", GgufType::kInt32, little_endian(*keys.tensors));
  w.set_text("general.name", "of shard " + std::to_string(keys.number));
  w.add({tensor, {2}, 0, counting_bytes(8) + std::to_string(keys.number)});
  return w;
}

void write_three(GgufFixture& fixture) {
  shard({0, 3, 3}, "a").write(fixture.folder / shard_name(1, 3));
  shard({1, 3, 3}, "b").write(fixture.folder / shard_name(2, 3));
  shard({2, 3, 3}, "c").write(fixture.folder / shard_name(3, 3));
}

TEST_CASE("any shard opens the whole model", "[gguf]") {
  GgufFixture fixture;
  write_three(fixture);
  const int opened = GENERATE(1, 2, 3);
  auto file = fixture.host.registry().open_model(fixture.folder / shard_name(opened, 3));
  REQUIRE(file);
  CHECK(*(*file)->text("general.name") == "of shard 0");
  CHECK((*file)->paths().size() == 3);
  REQUIRE((*file)->tensors().size() == 3);
  for (int i = 0; i < 3; ++i) {
    const FileTensor& tensor = (*file)->tensors()[static_cast<size_t>(i)];
    CHECK(tensor.name == std::string(1, static_cast<char>('a' + i)));
    CHECK((*file)->paths()[tensor.file] == (fixture.folder / shard_name(i + 1, 3)).string());
    const auto data = (*file)->data(tensor);
    REQUIRE(data);
    // The byte after the tensor tells the shards apart.
    CHECK(static_cast<char>((*data)[8]) == static_cast<char>('0' + i));
  }
}

std::string refusal_of(GgufFixture& fixture, const std::string& name) {
  auto file = fixture.host.registry().open_model(fixture.folder / name);
  return file ? "opened" : file.error().text();
}

TEST_CASE("shards that don't belong together are refused", "[gguf]") {
  GgufFixture fixture;
  write_three(fixture);
  const std::filesystem::path second = fixture.folder / shard_name(2, 3);
  SECTION("one is missing") {
    std::filesystem::remove(second);
    CHECK(refusal_of(fixture, shard_name(1, 3)) == second.string() + ": no such file");
  }
  SECTION("one has another number") {
    shard({2, 3, 3}, "b").write(second);
    CHECK(refusal_of(fixture, shard_name(1, 3)).find("key split.no: the value at byte 44 is 2, expected 1") !=
          std::string::npos);
  }
  SECTION("one has another count") {
    shard({1, 2, 3}, "b").write(second);
    CHECK(refusal_of(fixture, shard_name(1, 3)).find("key split.count: the value") != std::string::npos);
  }
  SECTION("one has no count") {
    shard({1, std::nullopt, 3}, "b").write(second);
    CHECK(refusal_of(fixture, shard_name(1, 3)).find("key split.count: missing, expected 3") !=
          std::string::npos);
  }
  SECTION("two have one tensor") {
    shard({1, 3, 3}, "a").write(second);
    const std::string text = refusal_of(fixture, shard_name(1, 3));
    CHECK(text.find("tensor a: duplicate tensor") != std::string::npos);
    CHECK(text.find(shard_name(2, 3)) != std::string::npos);
    CHECK(text.find(shard_name(1, 3)) != std::string::npos);
  }
  SECTION("tensors are fewer than was said") {
    shard({1, 3, 4}, "b").write(second);
    CHECK(refusal_of(fixture, shard_name(1, 3)).find("key split.tensors.count: the value is 4, expected 3") !=
          std::string::npos);
  }
  SECTION("the name doesn't say which shard it is") {
    std::filesystem::rename(second, fixture.folder / "renamed.gguf");
    CHECK(refusal_of(fixture, "renamed.gguf").find("PREFIX-00001-of-00003.gguf") != std::string::npos);
  }
}

TEST_CASE("a shard's name on a whole model is a warning", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.set_text("general.name", "whole");
  auto file = fixture.open(w, shard_name(1, 2));
  REQUIRE(file);
  REQUIRE((*file)->warnings().size() == 1);
  CHECK((*file)->warnings()[0].find("one of 2 files") != std::string::npos);
}

}  // namespace
}  // namespace aprx::test
