// Calls over the border to a plugin: texts in, exceptions caught.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <string>

#include "aprx/abi.h"
#include "core/base/error.h"

namespace aprx {

[[nodiscard]] inline aprx_error empty_plugin_error() {
  aprx_error error{};
  error.struct_size = sizeof error;
  return error;
}

// A text in a fixed array, whether or not the plugin ended it with NUL.
template <size_t N>
[[nodiscard]] std::string text_of(const char (&text)[N]) {
  return {text, ::strnlen(text, N)};
}

// Puts a text into a fixed array, cut to fit.
template <size_t N>
void put_text(char (&to)[N], const std::string& text) {
  const size_t size = text.size() < N ? text.size() : N - 1;
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

// Runs `body`, which calls into a plugin and returns its status. A plugin that lets an exception
// out breaks the contract; the exception ends here all the same.
template <typename Body>
[[nodiscard]] aprx_status call_plugin(aprx_error& error, const Body& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    put_text(error.found, std::string("the plugin let an exception out: ") + e.what());
  } catch (...) {
    put_text(error.found, "the plugin let an exception of unknown type out");
  }
  return APRX_INTERNAL;
}

// What a plugin filled in, as an error of class `code`.
[[nodiscard]] inline Error error_from_plugin(ErrorCode code, aprx_status status, const aprx_error& error) {
  Error out{code,
            text_of(error.file),
            text_of(error.subject),
            text_of(error.found),
            text_of(error.expected),
            text_of(error.hint)};
  if (out.found.empty()) out.found = "the plugin gave status " + std::to_string(status) + " and no reason";
  return out;
}

}  // namespace aprx
