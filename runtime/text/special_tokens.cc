#include "runtime/text/special_tokens.h"

#include <algorithm>
#include <tuple>

namespace aprx {

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const bool is_control = vocabulary.is_control(id);
    if (!is_control && vocabulary.type(id) != TokenType::kUserDefined) continue;
    const std::string_view text = vocabulary.text(id);
    if (text.empty()) continue;
    entries_.push_back({text, id, is_control});
    starts_[static_cast<unsigned char>(text.front())] = true;
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.text, a.id) < std::tie(b.text, b.id); });
}

// Narrows the sorted entries byte by byte to those that agree with the text so far, so the cost is that
// of the longest agreeing prefix, however many tokens there are.
const SpecialTokens::Entry* SpecialTokens::longest_at(std::string_view text, size_t at, Kinds kinds) const {
  const auto byte_of = [](char c) { return static_cast<unsigned char>(c); };
  const Entry* longest = nullptr;
  auto low = entries_.begin();
  auto high = entries_.end();
  for (size_t depth = 0; low != high && at + depth < text.size(); ++depth) {
    const unsigned char byte = byte_of(text[at + depth]);
    low = std::partition_point(
        low, high, [&](const Entry& e) { return e.text.size() <= depth || byte_of(e.text[depth]) < byte; });
    high = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e.text[depth]) == byte; });
    for (auto entry = low; entry != high && entry->text.size() == depth + 1; ++entry) {
      const bool wanted = entry->is_control ? kinds.control : kinds.user_defined;
      if (!wanted) continue;
      longest = &*entry;
      break;
    }
  }
  return longest;
}

std::vector<TextSegment> SpecialTokens::split(std::string_view text, Kinds kinds) const {
  std::vector<TextSegment> segments;
  size_t plain = 0;  // where the text that belongs to no token starts
  const auto close_plain = [&](size_t end) {
    if (end > plain) segments.push_back({text.substr(plain, end - plain), -1});
  };
  for (size_t at = 0; at < text.size();) {
    const bool may_start = starts_[static_cast<unsigned char>(text[at])];
    const Entry* found = may_start ? longest_at(text, at, kinds) : nullptr;
    if (found == nullptr) {
      ++at;
      continue;
    }
    close_plain(at);
    segments.push_back({text.substr(at, found->text.size()), found->id});
    at += found->text.size();
    plain = at;
  }
  close_plain(text.size());
  return segments;
}

}  // namespace aprx
