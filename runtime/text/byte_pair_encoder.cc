#include "runtime/text/byte_pair_encoder.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/text/byte_alphabet.h"
#include "runtime/text/key_error.h"
#include "runtime/text/normalizer.h"

namespace aprx {

namespace {

constexpr const char* kMergesKey = "tokenizer.ggml.merges";

Error missing_byte(unsigned byte) {
  const std::string shown = byte > 0x20 && byte < 0x7F ? fmt::format(" ('{}')", static_cast<char>(byte)) : "";
  return key_error("tokenizer.ggml.tokens", fmt::format("byte 0x{:02X}{} has no token", byte, shown),
                   fmt::format("a token '{}'", byte_characters()[byte]));
}

Error bad_merge(size_t index, const std::string& merge) {
  return key_error(kMergesKey, fmt::format("item {} is '{}'", index, merge),
                   "two tokens with a space between them");
}

uint64_t pair_key(int32_t left, int32_t right) {
  return (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32U) | static_cast<uint32_t>(right);
}

}  // namespace

// The ids of one fragment, word by word.
class BytePairEncoder::Words {
 public:
  explicit Words(const BytePairEncoder& encoder) : encoder_(encoder) {}

  Result<void> add(std::string_view word) {
    if (encoder_.pretokenizer_->traits().whole_words && add_whole(word)) return {};
    list_.clear();
    for (size_t i = 0; i < word.size(); ++i) {
      const auto byte = static_cast<unsigned char>(word[i]);
      const int32_t id = encoder_.byte_ids_[byte];
      if (id < 0) return missing_byte(byte);
      list_.add(static_cast<uint32_t>(i), 1, id);
    }
    list_.merge([this](const Symbol& left, const Symbol& right) -> std::optional<Merge> {
      const auto found = encoder_.merges_.find(pair_key(left.id, right.id));
      if (found == encoder_.merges_.end()) return std::nullopt;
      return Merge{static_cast<double>(found->second.rank), found->second.id};
    });
    list_.for_each([this](const Symbol& symbol) { ids_.push_back(symbol.id); });
    return {};
  }

  [[nodiscard]] std::vector<int32_t> take() { return std::move(ids_); }

 private:
  bool add_whole(std::string_view word) {
    const int32_t id = encoder_.vocabulary_.find(to_byte_alphabet(word));
    if (id < 0 || encoder_.vocabulary_.type(id) != TokenType::kNormal) return false;
    ids_.push_back(id);
    return true;
  }

  const BytePairEncoder& encoder_;
  MergeList list_;
  std::vector<int32_t> ids_;
};

Result<std::unique_ptr<FragmentEncoder>> BytePairEncoder::create(const Vocabulary& vocabulary,
                                                                 const VocabularySource& source) {
  if (!source.pre) {
    Error error = key_error("tokenizer.ggml.pre", "is missing", "the name of a pre-tokenizer");
    error.hint = "the file was made by an old converter; convert the model again";
    return error;
  }
  if (!source.merges) return key_error(kMergesKey, "is missing", "the list that model 'gpt2' needs");
  auto pretokenizer = Pretokenizer::create(*source.pre);
  if (!pretokenizer) return pretokenizer.error();

  std::unique_ptr<BytePairEncoder> made(new BytePairEncoder(vocabulary));
  made->pretokenizer_ = std::move(*pretokenizer);
  made->nfc_ = source.nfc.value_or(made->pretokenizer_->traits().nfc);
  if (auto done = made->take_bytes(); !done) return done.error();
  if (auto done = made->take_merges(*source.merges); !done) return done.error();
  return std::unique_ptr<FragmentEncoder>(std::move(made));
}

// Some published vocabularies lack bytes that hardly any text has; those are missed when a text needs
// them. Without printable ASCII no ordinary text can be written, so that is refused at once.
Result<void> BytePairEncoder::take_bytes() {
  for (unsigned byte = 0; byte < byte_ids_.size(); ++byte) {
    byte_ids_[byte] = vocabulary_.find(byte_characters()[byte]);
    const bool is_printable = byte >= 0x20 && byte < 0x7F;
    if (is_printable && byte_ids_[byte] < 0) return missing_byte(byte);
  }
  return {};
}

// A merge whose parts or whole are no tokens can never apply and is left out.
Result<void> BytePairEncoder::take_merges(const std::vector<std::string>& merges) {
  merges_.reserve(merges.size());
  std::string whole;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view merge = merges[rank];
    const size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merge.size()) return bad_merge(rank, merges[rank]);
    const std::string_view left = merge.substr(0, space);
    const std::string_view right = merge.substr(space + 1);
    whole.assign(left).append(right);
    const int32_t left_id = vocabulary_.find(left);
    const int32_t right_id = vocabulary_.find(right);
    const int32_t id = vocabulary_.find(whole);
    if (left_id < 0 || right_id < 0 || id < 0) continue;
    merges_.try_emplace(pair_key(left_id, right_id), Target{static_cast<int32_t>(rank), id});
  }
  return {};
}

Result<std::vector<int32_t>> BytePairEncoder::encode(std::string_view fragment) const {
  std::string normalized;
  if (nfc_) {
    auto nfc = to_nfc(fragment);
    if (!nfc) return nfc.error();
    normalized = std::move(*nfc);
    fragment = normalized;
  }
  const auto words = pretokenizer_->split(fragment);
  if (!words) return words.error();
  Words ids(*this);
  for (const std::string_view word : *words) {
    if (auto done = ids.add(word); !done) return done.error();
  }
  return ids.take();
}

std::string BytePairEncoder::bytes(int32_t id) const { return from_byte_alphabet(vocabulary_.text(id)); }

}  // namespace aprx
