#include "runtime/session/vocabulary_source.h"

#include <algorithm>

namespace aprx {

namespace {

// Reads keys one after another and keeps the first error.
class Reader {
 public:
  explicit Reader(const ModelFile& file) : file_(file) {}

  // Sets `field` where the file has the key. `get` reads it, `convert` makes it the field's type.
  template <typename T, typename Get, typename Convert>
  void take(std::optional<T>& field, const char* key, Get get, Convert convert) {
    if (error_ || file_.find(key) == nullptr) return;
    auto value = (file_.*get)(key);
    if (!value) {
      error_ = value.error();
      return;
    }
    field = convert(std::move(*value));
  }
  template <typename T, typename Get>
  void take(std::optional<T>& field, const char* key, Get get) {
    take(field, key, get, [](auto value) { return T(std::move(value)); });
  }

  std::optional<Error> error() { return std::move(error_); }

 private:
  const ModelFile& file_;
  std::optional<Error> error_;
};

template <typename To>
auto narrowed() {
  return [](const auto& values) {
    std::vector<To> out(values.size());
    std::ranges::transform(values, out.begin(), [](auto v) { return static_cast<To>(v); });
    return out;
  };
}

}  // namespace

Result<VocabularySource> vocabulary_source(const ModelFile& file) {
  VocabularySource source;
  Reader reader(file);
  reader.take(source.model, "tokenizer.ggml.model", &ModelFile::text);
  reader.take(source.pre, "tokenizer.ggml.pre", &ModelFile::text);
  reader.take(source.tokens, "tokenizer.ggml.tokens", &ModelFile::texts);
  reader.take(source.scores, "tokenizer.ggml.scores", &ModelFile::reals, narrowed<float>());
  reader.take(source.types, "tokenizer.ggml.token_type", &ModelFile::integers, narrowed<int32_t>());
  reader.take(source.merges, "tokenizer.ggml.merges", &ModelFile::texts);
  const std::pair<std::optional<int64_t>*, const char*> ids[] = {
      {&source.bos_id, "tokenizer.ggml.bos_token_id"},
      {&source.eos_id, "tokenizer.ggml.eos_token_id"},
      {&source.eot_id, "tokenizer.ggml.eot_token_id"},
      {&source.eom_id, "tokenizer.ggml.eom_token_id"},
      {&source.unknown_id, "tokenizer.ggml.unknown_token_id"},
      {&source.padding_id, "tokenizer.ggml.padding_token_id"},
  };
  for (const auto& [field, key] : ids) reader.take(*field, key, &ModelFile::integer);
  const std::pair<std::optional<bool>*, const char*> flags[] = {
      {&source.add_bos, "tokenizer.ggml.add_bos_token"},
      {&source.add_eos, "tokenizer.ggml.add_eos_token"},
      {&source.add_space_prefix, "tokenizer.ggml.add_space_prefix"},
      {&source.nfc, "tokenizer.ggml.normalizer.nfc"},
  };
  for (const auto& [field, key] : flags) reader.take(*field, key, &ModelFile::boolean);
  if (auto error = reader.error()) return *error;
  return source;
}

}  // namespace aprx
