// Values from JSON, and the `tojson` of chat templates: Python's json.dumps.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/template/value.h"

namespace aprx::jinja {

// Invalid UTF-8 in texts becomes U+FFFD. Fails on integers of more than 64 bits and on too much nesting.
Value value_from_json(Meter& meter, const nlohmann::ordered_json& json);

struct JsonStyle {
  bool is_ascii = false;  // escape everything beyond ASCII
  bool has_sorted_keys = false;
  std::optional<std::string> indent;  // for one level; without it all is on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};

// Fails on what Python can't write as JSON, such as an undefined value or a generator.
std::string to_json(Meter& meter, const Value& value, const JsonStyle& style);

}  // namespace aprx::jinja
