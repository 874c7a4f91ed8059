// The alphabet of byte-level BPE: every byte is written as one printable character.
//
// Bytes that are printable in Latin-1 stand for themselves; the other 68 take U+0100 and up, in byte
// order (the mapping that GPT-2 introduced). Functions are pure and thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace aprx {

// The character of every byte, in UTF-8.
[[nodiscard]] const std::array<std::string, 256>& byte_characters();

// `bytes` in the alphabet.
[[nodiscard]] std::string to_byte_alphabet(std::string_view bytes);

// The bytes that `text` stands for; characters outside the alphabet, and invalid UTF-8, stay as they are.
[[nodiscard]] std::string from_byte_alphabet(std::string_view text);

}  // namespace aprx
