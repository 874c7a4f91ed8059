// Text that a template has written so far: the render's, or that of a part which is captured.
#pragma once

#include <string>
#include <string_view>

#include "runtime/template/meter.h"

namespace aprx::jinja {

class Output {
 public:
  explicit Output(Meter& meter) : meter_(meter) {}
  ~Output() { meter_.release(held_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void append(std::string_view text) {
    if (text.size() > meter_.limits().max_output_bytes - text_.size()) {
      meter_.fail("stopped after " + std::to_string(meter_.limits().max_output_bytes) + " bytes of output");
      return;
    }
    meter_.hold(text.size());
    held_ += text.size();
    text_ += text;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  Meter& meter_;
  size_t held_ = 0;
  std::string text_;
};

}  // namespace aprx::jinja
