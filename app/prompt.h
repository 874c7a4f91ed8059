// From what the user typed to the tokens that the model sees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "core/plugin/model_file.h"
#include "runtime/template/chat_template.h"
#include "runtime/text/tokenizer.h"

namespace aprx::app {

// --prompt, --prompt-file, --system, --no-chat-template, --chat-template.
void add_prompt_options(CommandLine& line);

// The user's text, from the option or the file that gives it. Errors: kUsage, kBadFile.
[[nodiscard]] Result<std::string> read_prompt(const CommandLine& line);

// The model's own chat template, or ChatML for a model without one, which is announced.
[[nodiscard]] Result<ChatTemplate> own_template(const ModelFile& file);

// The prompt as tokens: rendered by the chat template, or as it stands with --no-chat-template.
[[nodiscard]] Result<std::vector<int32_t>> prompt_tokens(const CommandLine& line, const std::string& prompt,
                                                         const ModelFile& file, const Tokenizer& tokenizer);

}  // namespace aprx::app
