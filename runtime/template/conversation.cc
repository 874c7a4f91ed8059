#include "runtime/template/conversation.h"

#include <utility>

namespace aprx {

namespace {

using Json = nlohmann::ordered_json;

Error bad_file(const std::string& file, std::string subject, std::string found, std::string expected) {
  return Error{ErrorCode::kBadFile, file, std::move(subject), std::move(found), std::move(expected), {}};
}

Result<Json> parse_json(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return bad_file(file, {}, "not JSON at byte " + std::to_string(error.byte), "an array of objects");
  }
}

Result<void> check_objects(const Json& list, const std::string& file, const char* what) {
  if (!list.is_array())
    return bad_file(file, what, std::string("is ") + list.type_name(), "an array of objects");
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_object()) continue;
    return bad_file(file, std::string(what) + "[" + std::to_string(i) + "]",
                    std::string("is ") + list[i].type_name(), "an object");
  }
  return {};
}

}  // namespace

Result<void> check_messages(const Json& messages, const std::string& file) {
  if (auto checked = check_objects(messages, file, "messages"); !checked.ok()) return checked;
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto role = messages[i].find("role");
    if (role != messages[i].end() && role->is_string()) continue;
    const std::string found =
        role == messages[i].end() ? "is absent" : std::string("is ") + role->type_name();
    return bad_file(file, "messages[" + std::to_string(i) + "].role", found, "a text such as \"user\"");
  }
  return {};
}

Result<Json> parse_messages(const std::string& text, const std::string& file) {
  auto messages = parse_json(text, file);
  if (!messages.ok()) return messages;
  if (auto checked = check_messages(*messages, file); !checked.ok()) return checked.error();
  return messages;
}

Result<Json> parse_tools(const std::string& text, const std::string& file) {
  auto tools = parse_json(text, file);
  if (!tools.ok() || tools->is_null()) return tools;
  if (auto checked = check_objects(*tools, file, "tools"); !checked.ok()) return checked.error();
  return tools;
}

std::string_view builtin_chatml() {
  return R"({%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\n' -}}
{%- if message.content is string -%}
{{- message.content -}}
{%- elif message.content -%}
{%- for part in message.content -%}
{{- part.text if part.type == 'text' else raise_exception('content of type ' ~ part.type ~ ' is not supported') -}}
{%- endfor -%}
{%- endif -%}
{{- '<|im_end|>\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{- '<|im_start|>assistant\n' -}}
{%- endif -%}
)";
}

}  // namespace aprx
