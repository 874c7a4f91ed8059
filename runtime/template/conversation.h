// What a chat starts from: a conversation as JSON, and the template for models that bring none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace aprx {

// Checks that `messages` is an array of objects with a text `role` each. The rest is the template's business:
// texts stay as they are, so arguments of tool calls that are JSON in a text reach the template as text, as
// they do in transformers. `file` is named in errors (bad_file).
Result<void> check_messages(const nlohmann::ordered_json& messages, const std::string& file);

// Reads and checks a conversation from JSON text.
Result<nlohmann::ordered_json> parse_messages(const std::string& text, const std::string& file);

// Reads tool descriptions: an array of objects, or null for none.
Result<nlohmann::ordered_json> parse_tools(const std::string& text, const std::string& file);

// ChatML, the most common format. Content may be a text, null, or parts of which the texts are taken.
[[nodiscard]] std::string_view builtin_chatml();

}  // namespace aprx
