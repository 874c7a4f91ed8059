#include "runtime/text/detokenizer.h"

#include <string_view>
#include <utility>

#include "core/base/utf8.h"

namespace aprx {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

}  // namespace

Detokenizer::Detokenizer(const Tokenizer& tokenizer, bool skip_special)
    : tokenizer_(tokenizer), skip_special_(skip_special) {}

std::string Detokenizer::bytes_of(int32_t id) {
  if (skip_special_ && tokenizer_.is_control(id)) return {};
  std::string bytes = tokenizer_.bytes(id);
  if (!at_start_ || bytes.empty()) return bytes;
  at_start_ = false;
  if (tokenizer_.drops_first_space() && bytes.front() == ' ') bytes.erase(0, 1);
  return bytes;
}

std::string Detokenizer::push(int32_t id) {
  const std::string bytes = std::exchange(kept_, {}) + bytes_of(id);
  const std::string_view view = bytes;
  std::string out;
  for (size_t at = 0; at < view.size();) {
    const Utf8Step step = utf8_step(view, at);
    if (step.status == Utf8Status::kTruncated) {
      kept_ = view.substr(at);
      break;
    }
    if (step.status == Utf8Status::kValid) {
      out += view.substr(at, step.length);
    } else {
      append_utf8(out, kReplacement);
    }
    at += step.length;
  }
  return out;
}

std::string Detokenizer::flush() {
  std::string out;
  if (!kept_.empty()) append_utf8(out, kReplacement);
  kept_.clear();
  return out;
}

}  // namespace aprx
