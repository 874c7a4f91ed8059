// No text may take time that grows faster than its length (times a logarithm). The limits are far above
// what a slow machine with sanitizers needs, and far below what a quadratic step would take.
#include <catch2/catch_test_macros.hpp>
#include <ctime>

#include "tests/support/shared.h"
#include "tests/text/gguf_vocabulary.h"
#include "tests/text/small_vocabulary.h"

namespace {

constexpr size_t kBytes = size_t{1} << 18U;

std::string repeated(std::string_view unit) {
  std::string text;
  while (text.size() < kBytes) text += unit;
  return text;
}

// Processor time, so that a busy machine changes nothing.
double seconds_to_encode(const aprx::Tokenizer& tokenizer, const std::string& text) {
  const std::clock_t start = std::clock();
  CHECK_FALSE(aprx::test::ids_of(tokenizer, text, {.parse_special = true}).empty());
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("a quarter of a million bytes of anything are encoded in linear time") {
  APRX_REQUIRE_SHARED(shared);
  for (const std::string name : {"qwen35", "llama-spm"}) {
    const auto path = shared / "corpora/tokenizers" / (name + ".gguf.xz");
    const std::string file = aprx::test::output_of("xz -dc '" + path.string() + "'");
    const auto tokenizer = aprx::test::make_tokenizer(aprx::test::GgufVocabularyReader(file).read());
    for (const std::string unit : {" ", "a", "\n", "1", "<", "<|im_", "\xCC\x81", "中", "😀", " \n", "!", "'",
                                   "The quick brown fox jumps over the lazy dog. ", "\x80"}) {
      const double seconds = seconds_to_encode(*tokenizer, repeated(unit));
      INFO(name << ": '" << unit << "' over and over: " << seconds << " s");
      CHECK(seconds < 10);
    }
  }
}
