// One formatted field, in the terms that `%` and `{}` share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/template/meter.h"

namespace aprx::jinja {

inline constexpr int64_t kMaxFieldWidth = 100'000;

struct FieldSpec {
  std::string fill = " ";
  char alignment = 0;  // '<', '>', '^', '=' (padding after the sign), or 0 for the usual one
  char sign = '-';     // '+', ' ' or '-'
  bool is_alternate = false;
  bool has_thousands = false;
  int64_t width = 0;
  int precision = -1;
  char type = 0;
};

// A number or text as the field wants it. integer_text: types d x X o b; float_text: e E f F g G %, or 0 for
// the shortest; text_text: precision cuts.
[[nodiscard]] std::string integer_text(int64_t number, const FieldSpec& spec);
[[nodiscard]] std::string float_text(double number, const FieldSpec& spec);
[[nodiscard]] std::string text_text(std::string_view text, const FieldSpec& spec);

// The number whose digits are at `at`, which moves behind them. Fails if it is more than `most`.
int64_t read_number(Meter& meter, std::string_view text, size_t& at, int64_t most);
// The precision after a point at `at`, if there is one.
void read_precision(Meter& meter, std::string_view text, size_t& at, FieldSpec& spec);

[[nodiscard]] inline bool is_one_of(char c, std::string_view set) {
  return c != 0 && set.find(c) != std::string_view::npos;
}

}  // namespace aprx::jinja
