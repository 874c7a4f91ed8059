// What a model brings for chats: its template, and the variables that templates expect.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/plugin/model_file.h"
#include "runtime/template/chat_template.h"
#include "runtime/text/tokenizer.h"

namespace aprx {

// The model's own chat template; nothing for a model without one. Errors: kBadFile with the line.
[[nodiscard]] Result<std::optional<ChatTemplate>> model_template(const ModelFile& file);

// Variables that templates expect from a model: bos_token, eos_token.
[[nodiscard]] nlohmann::ordered_json template_variables(const Tokenizer& tokenizer);

}  // namespace aprx
