#include "runtime/session/chat_prompt.h"

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"

namespace aprx {

Result<std::optional<ChatTemplate>> model_template(const ModelFile& file) {
  constexpr const char* kKey = "tokenizer.chat_template";
  const Value* own = file.find(kKey);
  if (own == nullptr || own->kind != ValueKind::kText) return std::optional<ChatTemplate>();
  auto parsed = ChatTemplate::parse(std::string(own->text), kKey);
  if (!parsed) {
    parsed.error().file = file.path();
    return parsed.error();
  }
  return std::optional<ChatTemplate>(std::move(*parsed));
}

nlohmann::ordered_json template_variables(const Tokenizer& tokenizer) {
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
  if (const auto bos = tokenizer.bos()) variables["bos_token"] = replace_invalid_utf8(tokenizer.text(*bos));
  if (const auto eos = tokenizer.eos()) variables["eos_token"] = replace_invalid_utf8(tokenizer.text(*eos));
  return variables;
}

}  // namespace aprx
