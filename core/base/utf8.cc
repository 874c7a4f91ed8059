#include "core/base/utf8.h"

namespace aprx {

namespace {

struct Lead {
  size_t length;       // bytes of the whole character, 0 if this byte cannot start one
  char32_t bits;       // payload of the lead byte
  unsigned char low;   // allowed range of the second byte (excludes overlong forms, surrogates,
  unsigned char high;  // and code points above U+10FFFF)
};

Lead lead_of(unsigned char b) {
  if (b < 0x80) return {1, b, 0, 0};
  if (b >= 0xC2 && b <= 0xDF) return {2, b & 0x1FU, 0x80, 0xBF};
  if (b == 0xE0) return {3, b & 0x0FU, 0xA0, 0xBF};
  if (b == 0xED) return {3, b & 0x0FU, 0x80, 0x9F};
  if (b >= 0xE1 && b <= 0xEF) return {3, b & 0x0FU, 0x80, 0xBF};
  if (b == 0xF0) return {4, b & 0x07U, 0x90, 0xBF};
  if (b >= 0xF1 && b <= 0xF3) return {4, b & 0x07U, 0x80, 0xBF};
  if (b == 0xF4) return {4, b & 0x07U, 0x80, 0x8F};
  return {0, 0, 0, 0};
}

}  // namespace

Utf8Step utf8_step(std::string_view text, size_t at) {
  const Lead lead = lead_of(static_cast<unsigned char>(text[at]));
  if (lead.length == 0) return {Utf8Status::kInvalid, 1, 0};
  char32_t code_point = lead.bits;
  for (size_t i = 1; i < lead.length; ++i) {
    if (at + i == text.size()) return {Utf8Status::kTruncated, i, 0};
    const auto b = static_cast<unsigned char>(text[at + i]);
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (b < low || b > high) return {Utf8Status::kInvalid, i, 0};
    code_point = (code_point << 6U) | (b & 0x3FU);
  }
  return {Utf8Status::kValid, lead.length, code_point};
}

bool is_valid_utf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const Utf8Step step = utf8_step(text, at);
    if (step.status != Utf8Status::kValid) return false;
    at += step.length;
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  size_t at = 0;
  while (at < text.size()) {
    const Utf8Step step = utf8_step(text, at);
    if (step.status == Utf8Status::kValid) {
      out += text.substr(at, step.length);
    } else {
      out += "\xEF\xBF\xBD";
    }
    at += step.length;
  }
  return out;
}

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0U | (c >> 6U));
    byte(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    byte(0xE0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  } else {
    byte(0xF0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3FU));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  }
}

}  // namespace aprx
