#include "runtime/check/token_trips.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/utf8.h"
#include "runtime/text/detokenizer.h"
#include "runtime/text/normalizer.h"

namespace aprx {

namespace {

constexpr size_t kTokensATask = 256;
constexpr size_t kTasksAtOnce = 64;

enum class Trip { kCameBack, kLost, kNotChecked };

std::string decoded(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  Detokenizer detokenizer(tokenizer, /*skip_special=*/false);
  std::string out;
  for (const int32_t id : ids) out += detokenizer.push(id);
  return out + detokenizer.flush();
}

bool is_looked_for(TokenType type) {
  return type == TokenType::kControl || type == TokenType::kUnknown || type == TokenType::kUserDefined;
}

Trip trip_of_special(const Tokenizer& tokenizer, int32_t id) {
  const std::string_view text = tokenizer.text(id);
  const auto ids = tokenizer.encode(text, {.parse_special = true, .parse_added = true});
  const bool is_itself = ids && ids->size() == 1 && tokenizer.text(ids->front()) == text;
  return is_itself ? Trip::kCameBack : Trip::kLost;
}

Trip trip_of_text(const Tokenizer& tokenizer, const std::string& text) {
  const auto ids = tokenizer.encode(text, {.parse_special = false, .parse_added = false});
  if (!ids) return Trip::kLost;
  // Plain text gives no other control token than the one for what the vocabulary lacks.
  if (std::ranges::any_of(*ids, [&](int32_t id) { return tokenizer.is_control(id); }))
    return Trip::kNotChecked;
  const std::string back = decoded(tokenizer, *ids);
  if (back == text) return Trip::kCameBack;
  const auto normalized = to_nfc(text);
  return normalized && back == *normalized ? Trip::kCameBack : Trip::kLost;
}

Trip trip_of(const Tokenizer& tokenizer, int32_t id, TokenType type) {
  const std::string_view spelling = tokenizer.text(id);
  if (type == TokenType::kUnused || spelling.empty() || !is_valid_utf8(spelling)) return Trip::kNotChecked;
  if (is_looked_for(type)) return trip_of_special(tokenizer, id);
  const std::string text = tokenizer.bytes(id);
  return is_valid_utf8(text) ? trip_of_text(tokenizer, text) : Trip::kNotChecked;
}

// The trips of tokens begin .. end-1.
TokenTrips trips_of(const Tokenizer& tokenizer, std::span<const TokenType> types, size_t begin, size_t end) {
  TokenTrips trips;
  for (size_t i = begin; i < end; ++i) {
    const auto id = static_cast<int32_t>(i);
    switch (trip_of(tokenizer, id, types[i])) {
      case Trip::kCameBack: ++trips.came_back; break;
      case Trip::kNotChecked: ++trips.not_checked; break;
      case Trip::kLost:
        if (trips.lost++ == 0) trips.first_lost = id;
        break;
    }
  }
  return trips;
}

void add(TokenTrips& sum, const TokenTrips& part) {
  sum.came_back += part.came_back;
  sum.not_checked += part.not_checked;
  if (sum.lost == 0) sum.first_lost = part.first_lost;
  sum.lost += part.lost;
}

}  // namespace

TokenTrips token_trips(const Tokenizer& tokenizer, std::span<const TokenType> types,
                       const CheckContext& context) {
  TokenTrips sum;
  std::array<TokenTrips, kTasksAtOnce> parts;
  constexpr size_t kAtOnce = kTasksAtOnce * kTokensATask;
  for (size_t begin = 0; begin < types.size() && !context.cancelled; begin += kAtOnce) {
    const size_t end = std::min(types.size(), begin + kAtOnce);
    const auto tasks = static_cast<uint32_t>((end - begin + kTokensATask - 1) / kTokensATask);
    context.each(tasks, [&](uint32_t task) {
      const size_t first = begin + task * kTokensATask;
      parts[task] = trips_of(tokenizer, types, first, std::min(end, first + kTokensATask));
    });
    for (uint32_t task = 0; task < tasks; ++task) add(sum, parts[task]);
    context.tell("tokens", end, types.size());
  }
  return sum;
}

}  // namespace aprx
