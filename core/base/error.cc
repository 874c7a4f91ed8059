#include "core/base/error.h"

#include <array>

#include "core/base/utf8.h"

namespace aprx {

namespace {

void append_hex(std::string& out, unsigned char byte) {
  static constexpr std::array<char, 17> kDigits = {"0123456789abcdef"};
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0xFU];
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

}  // namespace

std::string printable(const std::string& bytes) {
  std::string out;
  out.reserve(bytes.size());
  size_t at = 0;
  while (at < bytes.size()) {
    const Utf8Step step = utf8_step(bytes, at);
    const bool plain = step.status == Utf8Status::kValid && !is_control(step.code_point);
    for (size_t i = at; i < at + step.length; ++i) {
      if (plain) {
        out += bytes[i];
      } else {
        append_hex(out, static_cast<unsigned char>(bytes[i]));
      }
    }
    at += step.length;
  }
  return out;
}

std::string Error::text() const {
  std::string out;
  if (!file.empty()) out += printable(file) + ": ";
  if (!subject.empty()) out += printable(subject) + ": ";
  out += printable(found);
  if (!expected.empty()) out += ", expected " + printable(expected);
  if (!hint.empty()) out += "\n  " + printable(hint);
  return out;
}

int exit_code(const Error& error) { return static_cast<int>(error.code); }

const char* error_word(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInternal: return "internal";
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kBadFile: return "bad_file";
    case ErrorCode::kPlugin: return "plugin";
    case ErrorCode::kLimit: return "limit";
    case ErrorCode::kCheckFailed: return "check_failed";
    case ErrorCode::kDevice: return "device";
    case ErrorCode::kCapability: return "capability";
    case ErrorCode::kUnchecked: return "unchecked";
    case ErrorCode::kInterrupted: return "interrupted";
  }
  return "internal";
}

}  // namespace aprx
