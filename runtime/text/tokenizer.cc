#include "runtime/text/tokenizer.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/utf8.h"
#include "runtime/text/byte_pair_encoder.h"
#include "runtime/text/fragment_encoder.h"
#include "runtime/text/key_error.h"
#include "runtime/text/sentence_piece_encoder.h"
#include "runtime/text/special_tokens.h"

namespace aprx {

namespace {

constexpr const char* kModelKey = "tokenizer.ggml.model";
constexpr const char* kKnownModels = "'gpt2' (byte-level BPE) or 'llama' (SentencePiece)";

Error too_long(size_t bytes) {
  return Error{.code = ErrorCode::kLimit,
               .file = {},
               .subject = "text",
               .found = fmt::format("has {} bytes", bytes),
               .expected = fmt::format("at most {}", kMaxTextBytes),
               .hint = {}};
}

Result<std::unique_ptr<FragmentEncoder>> make_encoder(const Vocabulary& vocabulary,
                                                      const VocabularySource& source) {
  if (*source.model == "gpt2") return BytePairEncoder::create(vocabulary, source);
  return SentencePieceEncoder::create(vocabulary, source);
}

}  // namespace

struct Tokenizer::Parts {
  explicit Parts(Vocabulary checked) : vocabulary(std::move(checked)), specials(vocabulary) {}

  Vocabulary vocabulary;
  SpecialTokens specials;
  std::unique_ptr<FragmentEncoder> encoder;
  std::optional<int32_t> first;  // put before a text on request
  std::optional<int32_t> last;   // put after a text on request
};

Tokenizer::Tokenizer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;

Result<std::unique_ptr<Tokenizer>> Tokenizer::create(VocabularySource source) {
  if (!source.model) return key_error(kModelKey, "is missing", kKnownModels);
  if (*source.model != "gpt2" && *source.model != "llama") {
    Error error =
        key_error(kModelKey, fmt::format("is '{}', which is not known", *source.model), kKnownModels);
    error.code = ErrorCode::kCapability;
    return error;
  }
  auto vocabulary = Vocabulary::create(source);
  if (!vocabulary) return vocabulary.error();
  auto parts = std::make_unique<Parts>(std::move(*vocabulary));
  auto encoder = make_encoder(parts->vocabulary, source);
  if (!encoder) return encoder.error();
  parts->encoder = std::move(*encoder);
  if (source.add_bos.value_or(parts->encoder->adds_bos())) parts->first = parts->vocabulary.bos();
  if (source.add_eos.value_or(false)) parts->last = parts->vocabulary.eos();
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(parts)));
}

Result<std::vector<int32_t>> Tokenizer::encode(std::string_view bytes, const EncodeOptions& options) const {
  if (bytes.size() > kMaxTextBytes) return too_long(bytes.size());
  const std::string text = replace_invalid_utf8(bytes);
  std::vector<int32_t> ids;
  if (options.add_special && parts_->first) ids.push_back(*parts_->first);
  const SpecialTokens::Kinds kinds = {.control = options.parse_special, .user_defined = options.parse_added};
  for (const TextSegment& segment : parts_->specials.split(text, kinds)) {
    if (segment.id >= 0) {
      ids.push_back(segment.id);
      continue;
    }
    const auto part = parts_->encoder->encode(segment.text);
    if (!part) return part.error();
    ids.insert(ids.end(), part->begin(), part->end());
  }
  if (options.add_special && parts_->last) ids.push_back(*parts_->last);
  return ids;
}

size_t Tokenizer::size() const { return parts_->vocabulary.size(); }

bool Tokenizer::contains(int32_t id) const { return parts_->vocabulary.contains(id); }

std::string_view Tokenizer::text(int32_t id) const { return parts_->vocabulary.text(id); }

std::string Tokenizer::bytes(int32_t id) const {
  const std::string_view text = parts_->vocabulary.text(id);
  switch (parts_->vocabulary.type(id)) {
    case TokenType::kUnused: return {};
    case TokenType::kControl:
    case TokenType::kUnknown:
    case TokenType::kUserDefined: return std::string(text);
    case TokenType::kByte:
      if (const auto byte = named_byte(text)) return std::string(1, static_cast<char>(*byte));
      break;
    case TokenType::kNormal: break;
  }
  return parts_->encoder->bytes(id);
}

bool Tokenizer::is_control(int32_t id) const { return parts_->vocabulary.is_control(id); }

bool Tokenizer::is_end_of_generation(int32_t id) const { return parts_->vocabulary.is_end_of_generation(id); }

std::optional<int32_t> Tokenizer::bos() const { return parts_->vocabulary.bos(); }

std::optional<int32_t> Tokenizer::eos() const { return parts_->vocabulary.eos(); }

bool Tokenizer::drops_first_space() const { return parts_->encoder->adds_space(); }

}  // namespace aprx
