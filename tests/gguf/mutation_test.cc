// Thousands of damaged headers: each is refused or described, and nothing else happens. Run under
// the sanitizers, where reading a byte too far fails the test.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <random>

#include "tests/gguf/gguf_fixture.h"

namespace aprx::test {
namespace {

constexpr uint32_t kSeed = 20250701;
constexpr int kMutants = 3000;

std::string sample() {
  GgufWriter w;
  w.set_text("general.architecture", "qwen35");
  w.set_u32("general.alignment", 32);
  w.set("flag", GgufType::kBool, "\1");
  w.set("big", GgufType::kUint64, little_endian<uint64_t>(UINT64_MAX));
  w.set("tokens", GgufType::kArray, gguf_texts({"a", "bc", "", "def"}));
  w.set("numbers", GgufType::kArray,
        gguf_array(GgufType::kUint64, {little_endian<uint64_t>(9), little_endian<uint64_t>(8)}));
  w.set("nested", GgufType::kArray, gguf_array(GgufType::kArray, {gguf_texts({"x"}), gguf_texts({})}));
  w.set("real", GgufType::kFloat64, little_endian(2.5));
  w.add({"a.weight", {32, 2}, 8, counting_bytes(68)});
  w.add({"b.weight", {3, 2, 2}, 0, counting_bytes(48)});
  w.add({"c.weight", {5}, 1, counting_bytes(10)});
  return w.bytes();
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string mutant(std::string bytes) {
    const int changes = 1 + static_cast<int>(below(3));
    for (int i = 0; i < changes; ++i) change(bytes);
    return bytes;
  }

 private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  void change(std::string& bytes) {
    static constexpr uint64_t kNumbers[] = {0,           1,           2,          13,          255,
                                            65535,       1U << 31U,   0xFFFFFFFF, 1ULL << 32U, 1ULL << 40U,
                                            1ULL << 62U, 1ULL << 63U, UINT64_MAX};
    const size_t at = below(bytes.size());
    const std::string number = little_endian(kNumbers[below(std::size(kNumbers))]);
    const size_t room = bytes.size() - at;
    switch (below(6)) {
      case 0: bytes[at] = static_cast<char>(below(256)); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
      case 2: bytes.replace(at, std::min<size_t>(8, room), number, 0, std::min<size_t>(8, room)); break;
      case 3: bytes.replace(at, std::min<size_t>(4, room), number, 0, std::min<size_t>(4, room)); break;
      case 4: bytes.resize(std::max<size_t>(1, at)); break;
      default: bytes.erase(at, std::min<size_t>(1 + below(16), room - 1)); break;
    }
  }

  std::mt19937 random_;
};

// Touches all that is described; the sanitizers watch.
size_t touch(const ModelFile& model) {
  size_t seen = 0;
  for (size_t i = 0; i < model.metadata().size(); ++i) {
    seen += model.metadata()[i].key.size() + model.metadata()[i].value.text.size();
    for (const Value& item : model.items(i, 0, model.metadata()[i].value.count)) seen += item.text.size();
  }
  for (const FileTensor& tensor : model.tensors()) {
    const auto data = model.data(tensor);
    if (!data) return 0;
    for (uint64_t i = 0; i < tensor.size; ++i) seen += std::to_integer<size_t>((*data)[i]);
  }
  return seen;
}

TEST_CASE("damaged headers are refused or described", "[gguf]") {
  GgufFixture fixture;
  const std::string bytes = sample();
  const std::filesystem::path path = fixture.folder / "m.gguf";
  Mutator mutator(kSeed);
  int opened = 0;
  INFO("seed " << kSeed);
  for (int i = 0; i < kMutants; ++i) {
    std::ofstream(path, std::ios::binary) << mutator.mutant(bytes);
    auto file = fixture.host.registry().open_model(path);
    if (file) {
      ++opened;
      CHECK(touch(**file) > 0);
      continue;
    }
    INFO("mutant " << i << ": " << file.error().text());
    CHECK(file.error().code == ErrorCode::kBadFile);
    CHECK_FALSE(file.error().found.empty());
  }
  // Damage to data, names and values stays unseen; damage to the structure doesn't.
  CHECK(opened > kMutants / 20);
  CHECK(opened < kMutants * 3 / 4);
}

TEST_CASE("every prefix of a file is refused", "[gguf]") {
  GgufFixture fixture;
  const std::string bytes = sample();
  const std::filesystem::path path = fixture.folder / "m.gguf";
  // The last tensor's padding may be missing.
  const size_t needed = bytes.size() - 22;
  for (size_t size = 1; size < needed; ++size) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    INFO(size);
    CHECK_FALSE(fixture.host.registry().open_model(path));
  }
  std::ofstream(path, std::ios::binary) << bytes.substr(0, needed);
  CHECK(fixture.host.registry().open_model(path));
}

}  // namespace
}  // namespace aprx::test
