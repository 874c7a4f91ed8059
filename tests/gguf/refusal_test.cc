// Wrong fields beyond the corpus of malformed files, and paths that are no model.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "tests/gguf/gguf_fixture.h"
#include "tests/support/privilege.h"

namespace aprx::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

GgufWriter with_tensor(GgufTensor tensor) {
  GgufWriter w;
  w.add(std::move(tensor));
  return w;
}

TEST_CASE("rows that don't fill their blocks are refused", "[gguf]") {
  GgufFixture fixture;
  const std::string text = fixture.refusal(with_tensor({"t", {48, 2}, 8, counting_bytes(102)}));
  CHECK(has(text, "tensor t: the dimension at byte 37, the length of a row, is 48"));
  CHECK(has(text, "a multiple of 32 for Q8_0"));
}

TEST_CASE("sizes whose products overflow are refused", "[gguf]") {
  GgufFixture fixture;
  constexpr uint64_t kBig = uint64_t{1} << 62U;
  CHECK(has(fixture.refusal(with_tensor({"t", {kBig, 1}, 28, "x"})), "more than 2^64 bytes"));
  CHECK(has(fixture.refusal(with_tensor({"t", {kBig, 2}, 0, "x"})), "more than 2^63 - 1"));
  CHECK(has(fixture.refusal(with_tensor({"t", {kBig, kBig, 16}, 999, "x"})), "more than 2^63 - 1"));
}

TEST_CASE("data of an unknown type is bounded too", "[gguf]") {
  GgufFixture fixture;
  GgufTensor tensor{"t", {2}, 999, "x", {}};
  tensor.offset = 4096;
  CHECK(has(fixture.refusal(with_tensor(tensor)), "past the end of the file"));
  tensor.offset = 1;
  CHECK(has(fixture.refusal(with_tensor(tensor)), "a multiple of the alignment 32"));
}

TEST_CASE("overlaps are found wherever the tensors stand", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.add({"late", {16}, 0, counting_bytes(64), 64});
  w.add({"early", {32}, 0, counting_bytes(128), 0});
  CHECK(has(fixture.refusal(w),
            "tensor early: the data offset at byte 89 is 0, where its data overlaps that of tensor late"));
  GgufWriter unknown;
  unknown.add({"strange", {2}, 77, counting_bytes(32), 0});
  unknown.add({"known", {8}, 0, counting_bytes(32), 0});
  CHECK(has(fixture.refusal(unknown), "overlaps"));
}

TEST_CASE("an alignment that can't be is refused", "[gguf]") {
  GgufFixture fixture;
  for (const uint32_t alignment : {0U, 1U, 4U, 12U, 96U, 1U << 25U}) {
    GgufWriter w;
    w.set_u32("general.alignment", alignment);
    CHECK(has(fixture.refusal(w), "general.alignment: the value at byte 53 is " + std::to_string(alignment)));
  }
  GgufWriter negative;
  negative.set("general.alignment", GgufType::kInt32, little_endian<int32_t>(-32));
  CHECK(has(fixture.refusal(negative), "-32, expected an unsigned integer"));
}

TEST_CASE("odd keys are left out with a warning that can be printed", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.set_u32("bad\xff\x1b", 1);
  w.set_u32("", 2);
  w.set_u32(std::string_view("general.architecture\0x", 22), 3);
  w.set("flag", GgufType::kBool, "\x02");
  auto file = fixture.open(w);
  REQUIRE(file);
  REQUIRE((*file)->warnings().size() == 3);
  CHECK((*file)->warnings()[0] == "key bad\\xff\\x1b is not UTF-8 and was left out");
  CHECK((*file)->warnings()[1] == "the key at byte 53 is empty and was left out");
  CHECK((*file)->warnings()[2] == "key flag is a bool of value 2, read as true");
  CHECK((*file)->find("general.architecture") == nullptr);
  CHECK(*(*file)->boolean("flag"));
}

TEST_CASE("control characters in a name never reach a message", "[gguf]") {
  GgufFixture fixture;
  const std::string text = fixture.refusal(with_tensor({"x\x1b[2J\nowned", {3}, 2, "x"}));
  CHECK(has(text, "tensor x\\x1b[2J\\x0aowned"));
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("a header that would not fit in memory is refused without trying", "[gguf]") {
  GgufFixture fixture;
  GgufWriter w;
  w.set("s", GgufType::kString, little_endian(uint64_t{1} << 39U));
  w.write(fixture.folder / "m.gguf");
  std::filesystem::resize_file(fixture.folder / "m.gguf", uintmax_t{1} << 40U);
  auto file = fixture.host.registry().open_model(fixture.folder / "m.gguf");
  REQUIRE_FALSE(file);
  CHECK(has(file.error().text(), "a header of at most that size"));
}

TEST_CASE("many trailing bytes are a warning", "[gguf]") {
  GgufFixture fixture;
  with_tensor({"t", {8}, 0, counting_bytes(32)}).write(fixture.folder / "m.gguf");
  const uintmax_t size = std::filesystem::file_size(fixture.folder / "m.gguf");
  std::filesystem::resize_file(fixture.folder / "m.gguf", size + 100);
  auto file = fixture.host.registry().open_model(fixture.folder / "m.gguf");
  REQUIRE(file);
  REQUIRE((*file)->warnings().size() == 1);
  CHECK((*file)->warnings()[0] == "the file has 100 bytes after the data of its last tensor");
}

TEST_CASE("paths that are no model give one clear error each", "[gguf]") {
  GgufFixture fixture;
  const auto refusal = [&](const std::filesystem::path& path) {
    auto file = fixture.host.registry().open_model(path);
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::kBadFile);
    CHECK(file.error().file == path.string());
    return file.error().found;
  };
  std::filesystem::create_directory(fixture.folder / "folder.gguf");
  std::filesystem::create_symlink("loop.gguf", fixture.folder / "loop.gguf");
  std::ofstream(fixture.folder / "empty.gguf");
  std::ofstream(fixture.folder / "words.txt") << "not a model";
  CHECK(refusal(fixture.folder / "missing.gguf") == "no such file");
  CHECK(refusal(fixture.folder / "folder.gguf") == "is a directory");
  CHECK(refusal(fixture.folder / "loop.gguf") == "the path is a loop of symbolic links");
  CHECK(refusal("/dev/null") == "is a character device");
  CHECK(has(refusal(fixture.folder / "empty.gguf"), "too short"));
  CHECK(has(refusal(fixture.folder / "words.txt"), "whose magic is 6e 6f 74 20"));
}

TEST_CASE("a file without read permission says so", "[gguf]") {
  GgufFixture fixture;
  REQUIRE(fixture.open(GgufWriter()));  // the plugin is loaded while it can be
  std::filesystem::permissions(fixture.folder / "m.gguf", std::filesystem::perms::none);
  const OrdinaryUser user;
  if (!user.is_ordinary()) SKIP("root can't become an ordinary user here");
  auto file = fixture.host.registry().open_model(fixture.folder / "m.gguf");
  REQUIRE_FALSE(file);
  CHECK(file.error().found == "permission denied");
}

}  // namespace
}  // namespace aprx::test
