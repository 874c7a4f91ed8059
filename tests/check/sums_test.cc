#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "runtime/check/sha256.h"
#include "runtime/check/sum_file.h"
#include "runtime/check/sum_gate.h"
#include "tests/check/check_fixture.h"

namespace aprx::test {
namespace {

// FIPS 180-4's own example.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
// `head -c 5000000 /dev/zero | sha256sum`: more than one piece.
constexpr const char* kZeros = "b39781589c4403fb82174c9647a010464cff38bad976547d339899b00053a545";

std::string write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string hash(const std::filesystem::path& path) {
  const auto file = FileMap::open(path.string());
  REQUIRE(file);
  const auto digits = sha256_of(**file, [](uint64_t) { return true; });
  REQUIRE(digits);
  return digits->value();
}

Gate sums_of(CheckFixture& fixture, const std::vector<std::string>& paths, const std::string& given = "") {
  return check_sums(paths, given, fixture.context);
}

}  // namespace

TEST_CASE("files hash to the sums that others compute", "[check]") {
  const TempDir folder;
  CHECK(hash(write(folder / "abc", "abc")) == kAbc);
  CHECK(hash(write(folder / "empty", "")) == kEmpty);
  CHECK(hash(write(folder / "zeros", std::string(5'000'000, '\0'))) == kZeros);
}

TEST_CASE("a sum is 64 hexadecimal digits of either case", "[check]") {
  CHECK(sha256_digits(std::string(64, 'A')) == std::string(64, 'a'));
  CHECK_FALSE(sha256_digits(std::string(63, 'a')));
  CHECK_FALSE(sha256_digits(std::string(63, 'a') + "g"));
}

TEST_CASE("a list of sums is read as sha256sum writes it", "[check]") {
  const std::string other(64, '0');
  const std::string list = other + "  b.gguf\n" + kAbc + " *folder/a.gguf\r\n\n";
  CHECK(sum_in(list, "a.gguf").value() == kAbc);
  CHECK(sum_in(list, "b.gguf").value() == other);
  CHECK_FALSE(sum_in(list, "c.gguf").value());
  CHECK(sum_in(std::string(kAbc) + "\n", "a.gguf").value() == kAbc);
  const auto wrong = sum_in(other + "  b.gguf\nhello\n", "a.gguf");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().subject == "line 2");
}

TEST_CASE("a file is compared with the sum that is given or lies beside it", "[check]") {
  CheckFixture fixture;
  const std::string path = write(fixture.folder / "m.gguf", "abc");
  const std::string wrong(64, '0');

  SECTION("nobody gives one") {
    const Gate gate = sums_of(fixture, {path});
    CHECK(gate.outcome == Outcome::kNotMeasured);
    CHECK(gate.reason == "no sum given");
    CHECK_FALSE(gate.is_asked_for);
  }
  SECTION("the user gives the right one") {
    const Gate gate = sums_of(fixture, {path}, kAbc);
    CHECK(gate.outcome == Outcome::kHeld);
    CHECK(gate.reason == "as --sha256 says");
  }
  SECTION("the user gives a wrong one") {
    const Gate gate = sums_of(fixture, {path}, wrong);
    REQUIRE(gate.outcome == Outcome::kBroken);
    CHECK(gate.findings[0].file == path);
    CHECK(gate.findings[0].found == kAbc);
    CHECK(gate.findings[0].expected == wrong + ", by --sha256");
  }
  SECTION("m.gguf.sha256 comes before SHA256SUMS") {
    write(fixture.folder / "m.gguf.sha256", std::string(kAbc) + "  m.gguf\n");
    write(fixture.folder / "SHA256SUMS", wrong + "  m.gguf\n");
    CHECK(sums_of(fixture, {path}).outcome == Outcome::kHeld);
  }
  SECTION("SHA256SUMS says otherwise") {
    write(fixture.folder / "SHA256SUMS", wrong + "  m.gguf\n");
    CHECK(sums_of(fixture, {path}).outcome == Outcome::kBroken);
  }
  SECTION("m.gguf.sha256 is about another file") {
    write(fixture.folder / "m.gguf.sha256", std::string(kAbc) + "  other.gguf\n");
    const Gate gate = sums_of(fixture, {path});
    CHECK(gate.outcome == Outcome::kNotMeasured);
    CHECK(gate.reason == path + ".sha256: has no line for m.gguf");
    CHECK(gate.is_asked_for);
  }
}

TEST_CASE("of several files each needs its sum", "[check]") {
  CheckFixture fixture;
  const std::string first = write(fixture.folder / "m-1.gguf", "abc");
  const std::string second = write(fixture.folder / "m-2.gguf", "");
  write(fixture.folder / "SHA256SUMS", std::string(kAbc) + "  m-1.gguf\n");
  const Gate half = sums_of(fixture, {first, second});
  CHECK(half.outcome == Outcome::kNotMeasured);
  CHECK(half.reason == "no sum for 1 of 2 files");
  CHECK(half.is_asked_for);

  write(fixture.folder / "SHA256SUMS", std::string(kAbc) + "  m-1.gguf\n" + kEmpty + "  m-2.gguf\n");
  CHECK(sums_of(fixture, {first, second}).outcome == Outcome::kHeld);
}

}  // namespace aprx::test
