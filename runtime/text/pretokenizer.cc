#include "runtime/text/pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "runtime/text/key_error.h"

namespace aprx {

namespace {

// The expressions follow the models' published tokenizers. `\s` stands for Unicode's White_Space and
// occurs inside brackets only: PCRE2's own \s would add U+180E.
constexpr const char* kWhiteSpace = R"(\p{Z}\x09-\x0D\x{85})";

constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|[\s]+(?![^\s])|[\s]+)";
constexpr const char* kEachDigit = R"(\p{N})";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|[\s]*[\r\n]+|[\s]+(?![^\s])|[\s]+)";
constexpr const char* kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|[\s]*[\r\n]+|[\s]+(?![^\s])|[\s]+)";
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|[\s]*[\r\n]+|[\s]+(?![^\s])|[\s]+)";

struct Family {
  std::string_view name;
  std::array<const char*, 2> expressions;  // applied in turn, each to the parts that the last one left
  PretokenizerTraits traits;
};

constexpr std::array<Family, 10> kFamilies = {{
    {"gpt-2", {kGpt2, nullptr}, {.nfc = false, .whole_words = false, .add_bos = false}},
    {"llama-bpe", {kLlama3, nullptr}, {.nfc = false, .whole_words = true, .add_bos = true}},
    {"llama-v3", {kLlama3, nullptr}, {.nfc = false, .whole_words = true, .add_bos = true}},
    {"llama3", {kLlama3, nullptr}, {.nfc = false, .whole_words = true, .add_bos = true}},
    {"mpt", {kGpt2, nullptr}, {.nfc = true, .whole_words = false, .add_bos = false}},
    {"qwen2", {kQwen2, nullptr}, {.nfc = true, .whole_words = false, .add_bos = false}},
    {"qwen35", {kQwen35, nullptr}, {.nfc = true, .whole_words = false, .add_bos = false}},
    {"refact", {kEachDigit, kGpt2}, {.nfc = false, .whole_words = false, .add_bos = false}},
    {"smollm", {kEachDigit, kGpt2}, {.nfc = false, .whole_words = false, .add_bos = false}},
    {"starcoder", {kEachDigit, kGpt2}, {.nfc = false, .whole_words = false, .add_bos = false}},
}};

struct CodeDeleter {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct MatchDeleter {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
using Code = std::unique_ptr<pcre2_code, CodeDeleter>;
using MatchData = std::unique_ptr<pcre2_match_data, MatchDeleter>;

std::string with_white_space(std::string expression) {
  constexpr std::string_view kMark = "\\s";
  for (size_t at = expression.find(kMark); at != std::string::npos; at = expression.find(kMark, at)) {
    expression.replace(at, kMark.size(), kWhiteSpace);
  }
  return expression;
}

std::string pcre2_message(int number) {
  std::array<PCRE2_UCHAR, 256> text = {};
  pcre2_get_error_message(number, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

Error engine_error(ErrorCode code, int number) {
  return Error{.code = code,
               .file = {},
               .subject = "pre-tokenizer",
               .found = pcre2_message(number),
               .expected = {},
               .hint = {}};
}

Result<Code> compile(const char* expression) {
  const std::string pattern = with_white_space(expression);
  int number = 0;
  size_t offset = 0;
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF | PCRE2_UCP,
                          &number, &offset, nullptr));
  if (!code) return engine_error(ErrorCode::kInternal, number);
  // Where the machine allows no code to be made at run time, matching falls back to the interpreter.
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  return code;
}

std::string known_names() {
  std::string names;
  for (const Family& family : kFamilies) {
    if (!names.empty()) names += ", ";
    names += family.name;
  }
  return names;
}

// Cuts one part into its matches and what lies between them.
Result<std::vector<std::string_view>> split_part(const pcre2_code* code, pcre2_match_data* data,
                                                 std::string_view part) {
  std::vector<std::string_view> words;
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(part.data());
  constexpr uint32_t kOptions = PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY;
  size_t at = 0;
  while (at < part.size()) {
    const int found = pcre2_match(code, subject, part.size(), at, kOptions, data, nullptr);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) return engine_error(ErrorCode::kLimit, found);
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data);
    if (ends[0] > at) words.push_back(part.substr(at, ends[0] - at));
    words.push_back(part.substr(ends[0], ends[1] - ends[0]));
    at = ends[1];
  }
  if (at < part.size()) words.push_back(part.substr(at));
  return words;
}

}  // namespace

struct Pretokenizer::Rules {
  const Family* family;
  std::vector<Code> expressions;
};

Pretokenizer::Pretokenizer(std::unique_ptr<Rules> rules) : rules_(std::move(rules)) {}
Pretokenizer::~Pretokenizer() = default;

Result<std::unique_ptr<Pretokenizer>> Pretokenizer::create(std::string_view name) {
  const auto* family =
      std::find_if(kFamilies.begin(), kFamilies.end(), [name](const Family& f) { return f.name == name; });
  if (family == kFamilies.end()) {
    Error error = key_error("tokenizer.ggml.pre", "is '" + std::string(name) + "', which is not known",
                            "one of " + known_names());
    error.code = ErrorCode::kCapability;
    return error;
  }
  auto rules = std::make_unique<Rules>();
  rules->family = family;
  for (const char* expression : family->expressions) {
    if (expression == nullptr) continue;
    auto code = compile(expression);
    if (!code) return code.error();
    rules->expressions.push_back(std::move(*code));
  }
  return std::unique_ptr<Pretokenizer>(new Pretokenizer(std::move(rules)));
}

const PretokenizerTraits& Pretokenizer::traits() const { return rules_->family->traits; }

Result<std::vector<std::string_view>> Pretokenizer::split(std::string_view text) const {
  std::vector<std::string_view> parts;
  if (!text.empty()) parts.push_back(text);
  for (const Code& code : rules_->expressions) {
    const MatchData data(pcre2_match_data_create_from_pattern(code.get(), nullptr));
    if (!data) throw std::bad_alloc();
    std::vector<std::string_view> words;
    for (const std::string_view part : parts) {
      auto cut = split_part(code.get(), data.get(), part);
      if (!cut) return cut.error();
      words.insert(words.end(), cut->begin(), cut->end());
    }
    parts = std::move(words);
  }
  return parts;
}

}  // namespace aprx
