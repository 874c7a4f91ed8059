#include "runtime/text/sentence_piece_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/utf8.h"
#include "runtime/text/key_error.h"

namespace aprx {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

// Where, after `from`, a space follows something that is none; text.size() if nowhere.
size_t next_word(std::string_view text, size_t from) {
  for (size_t at = text.find(kSpaceMark, from); at != std::string_view::npos;) {
    const size_t next = text.find(kSpaceMark, at + kSpaceMark.size());
    if (at > from && !text.substr(0, at).ends_with(kSpaceMark)) return at;
    at = next;
  }
  return text.size();
}

}  // namespace

Result<std::unique_ptr<FragmentEncoder>> SentencePieceEncoder::create(const Vocabulary& vocabulary,
                                                                      const VocabularySource& source) {
  if (!vocabulary.has_scores()) {
    return key_error("tokenizer.ggml.scores", "is missing", "the scores that model 'llama' needs");
  }
  if (!source.types) {
    return key_error("tokenizer.ggml.token_type", "is missing", "the types that model 'llama' needs");
  }
  std::unique_ptr<SentencePieceEncoder> made(new SentencePieceEncoder(vocabulary));
  made->adds_space_ = source.add_space_prefix.value_or(true);
  if (auto done = made->take_tokens(); !done) return done.error();
  return std::unique_ptr<FragmentEncoder>(std::move(made));
}

Result<void> SentencePieceEncoder::take_tokens() {
  byte_ids_.fill(-1);
  for (size_t i = 0; i < vocabulary_.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const std::string_view text = vocabulary_.text(id);
    if (vocabulary_.type(id) == TokenType::kNormal) {
      longest_ = std::max(longest_, text.size());
      words_are_apart_ = words_are_apart_ && next_word(text, 0) == text.size();
    }
    if (vocabulary_.type(id) != TokenType::kByte) continue;
    const std::optional<uint8_t> byte = named_byte(text);
    if (!byte) {
      return key_error("tokenizer.ggml.tokens", fmt::format("byte token {} is '{}'", id, text),
                       "<0x00> to <0xFF>");
    }
    if (byte_ids_[*byte] < 0) byte_ids_[*byte] = id;
  }
  const auto* missing = std::find(byte_ids_.begin(), byte_ids_.end(), -1);
  if (missing == byte_ids_.end() || vocabulary_.unknown()) return {};
  const auto byte = missing - byte_ids_.begin();
  return key_error("tokenizer.ggml.tokens", fmt::format("byte 0x{:02X} has no token", byte),
                   fmt::format("a token <0x{:02X}>, or tokenizer.ggml.unknown_token_id", byte));
}

std::string SentencePieceEncoder::with_marked_spaces(std::string_view fragment) const {
  std::string text;
  text.reserve(fragment.size() + fragment.size() / 2 + kSpaceMark.size());
  if (adds_space_) text += kSpaceMark;
  for (const char c : fragment) {
    if (c == ' ') {
      text += kSpaceMark;
    } else {
      text += c;
    }
  }
  return text;
}

// Stretches that no merge can cross; they cover `text`. Short ones keep the heap of merges small.
std::vector<std::string_view> SentencePieceEncoder::words(std::string_view text) const {
  if (!words_are_apart_) return {text};
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t at = next_word(text, 0); at < text.size(); at = next_word(text, at)) {
    words.push_back(text.substr(begin, at - begin));
    begin = at;
  }
  words.push_back(text.substr(begin));
  return words;
}

// The token of `text`, or -1. Text never becomes a control, unknown or byte token by its spelling.
int32_t SentencePieceEncoder::find_text(std::string_view text) const {
  const int32_t id = vocabulary_.find(text);
  if (id < 0 || vocabulary_.is_control(id) || vocabulary_.type(id) == TokenType::kByte) return -1;
  return id;
}

std::vector<int32_t> SentencePieceEncoder::fallback(std::string_view character) const {
  std::vector<int32_t> ids;
  for (const char c : character) {
    const int32_t id = byte_ids_[static_cast<unsigned char>(c)];
    if (id < 0) return {*vocabulary_.unknown()};
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<int32_t>> SentencePieceEncoder::encode(std::string_view fragment) const {
  if (fragment.empty()) return std::vector<int32_t>();
  return encode_marked(with_marked_spaces(fragment));
}

std::vector<int32_t> SentencePieceEncoder::encode_marked(std::string_view text) const {
  MergeList list;
  std::vector<int32_t> ids;
  for (const std::string_view word : words(text)) {
    list.clear();
    for (size_t at = 0; at < word.size();) {
      const size_t length = utf8_step(word, at).length;
      list.add(static_cast<uint32_t>(at), static_cast<uint32_t>(length), find_text(word.substr(at, length)));
      at += length;
    }
    list.merge([this, word](const Symbol& left, const Symbol& right) -> std::optional<Merge> {
      const size_t length = size_t{left.length} + right.length;
      if (length > longest_) return std::nullopt;
      const int32_t id = vocabulary_.find(word.substr(left.begin, length));
      if (id < 0 || vocabulary_.type(id) != TokenType::kNormal) return std::nullopt;
      return Merge{-static_cast<double>(vocabulary_.score(id)), id};
    });
    list.for_each([this, word, &ids](const Symbol& symbol) {
      if (symbol.id >= 0) {
        ids.push_back(symbol.id);
        return;
      }
      const std::vector<int32_t> bytes = fallback(word.substr(symbol.begin, symbol.length));
      ids.insert(ids.end(), bytes.begin(), bytes.end());
    });
  }
  return ids;
}

std::string SentencePieceEncoder::bytes(int32_t id) const {
  const std::string_view text = vocabulary_.text(id);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, kSpaceMark.size()) == kSpaceMark) {
      out += ' ';
      at += kSpaceMark.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace aprx
