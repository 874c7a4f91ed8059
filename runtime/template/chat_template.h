// Chat templates: Jinja as transformers' apply_chat_template runs it (Jinja 3.1, immutable sandbox,
// trim_blocks, lstrip_blocks, loop controls, {% generation %}, its own tojson, raise_exception,
// strftime_now). A template comes with a model file, so it is bounded in steps, time, memory, output and
// nesting.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"
#include "runtime/template/limits.h"

namespace aprx {

namespace jinja {
struct Ast;
}

// Parsed once; immutable, so any number of threads may render at a time. Cheap to copy.
class ChatTemplate {
 public:
  struct Inputs {
    nlohmann::ordered_json messages;  // an array of objects; see conversation.h
    nlohmann::ordered_json tools;     // an array of tool descriptions, or null for none
    nlohmann::ordered_json
        variables;  // an object of further variables (bos_token, enable_thinking, ...), or null
    bool add_generation_prompt = true;
    bool continue_final_message = false;  // end with the last message's own text, for the model to go on
    std::string now;  // local time for strftime_now, "2026-07-04T12:34:56"; empty for the clock
  };

  // `name` is the subject of error messages, e.g. "tokenizer.chat_template".
  // Errors: bad_file with the line, for what isn't Jinja or isn't supported.
  static Result<ChatTemplate> parse(const std::string& source, std::string name);

  // The prompt. Errors: bad_file with the line, for what the template raises, for type errors, and when a
  // limit is reached; usage for a malformed `now`.
  [[nodiscard]] Result<std::string> render(const Inputs& inputs, const TemplateLimits& limits = {}) const;

 private:
  ChatTemplate(std::shared_ptr<const jinja::Ast> ast, std::string name);

  std::shared_ptr<const jinja::Ast> ast_;
  std::string name_;
};

}  // namespace aprx
