#include "runtime/text/byte_alphabet.h"

#include <cstddef>

#include "core/base/utf8.h"

namespace aprx {

namespace {

constexpr size_t kCodePoints = 0x100 + 68;  // the highest character of the alphabet is U+0143

bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<int16_t, kCodePoints> bytes;  // -1 where a code point is outside the alphabet
};

Alphabet make_alphabet() {
  Alphabet made;
  made.bytes.fill(-1);
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t code_point = stands_for_itself(byte) ? byte : next++;
    append_utf8(made.characters[byte], code_point);
    made.bytes[code_point] = static_cast<int16_t>(byte);
  }
  return made;
}

const Alphabet& alphabet() {
  static const Alphabet made = make_alphabet();
  return made;
}

}  // namespace

const std::array<std::string, 256>& byte_characters() { return alphabet().characters; }

std::string to_byte_alphabet(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char byte : bytes) out += alphabet().characters[static_cast<unsigned char>(byte)];
  return out;
}

std::string from_byte_alphabet(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text, at);
    const bool inside = step.status == Utf8Status::kValid && step.code_point < kCodePoints &&
                        alphabet().bytes[step.code_point] >= 0;
    if (inside) {
      out += static_cast<char>(alphabet().bytes[step.code_point]);
    } else {
      out += text.substr(at, step.length);
    }
    at += step.length;
  }
  return out;
}

}  // namespace aprx
