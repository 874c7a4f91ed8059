#include "runtime/template/chat_template.h"

#include <deque>
#include <optional>
#include <utility>

#include "core/base/utf8.h"
#include "runtime/template/functions.h"
#include "runtime/template/interpreter.h"
#include "runtime/template/json.h"
#include "runtime/template/lexer.h"
#include "runtime/template/parser.h"
#include "runtime/template/text.h"

namespace aprx {

namespace {

// Real templates have some 20 kB. Tokens and AST take a multiple of the source.
constexpr size_t kMaxSourceBytes = size_t{256} << 10;

// Marks in the render where the last message ends. The blank tells whether the template strips it.
constexpr std::string_view kEndMark = "CONTINUE_FINAL_MESSAGE_TAG ";

using Json = nlohmann::ordered_json;

Error with_subject(Error error, const std::string& subject) {
  error.subject = subject;
  return error;
}

// The text of the last message that is to be continued: its content, or the last text among its parts.
std::string* final_text(Json& messages) {
  if (!messages.is_array() || messages.empty() || !messages.back().is_object()) return nullptr;
  const auto content = messages.back().find("content");
  if (content == messages.back().end()) return nullptr;
  if (content->is_string()) return content->get_ptr<Json::string_t*>();
  if (!content->is_array()) return nullptr;
  for (auto part = content->rbegin(); part != content->rend(); ++part) {
    if (!part->is_object() || !part->contains("text") || !(*part)["text"].is_string()) continue;
    return (*part)["text"].get_ptr<Json::string_t*>();
  }
  return nullptr;
}

// What comes before the mark in a render, or nothing when the template has changed the message.
std::optional<std::string> cut_at_mark(const std::string& render, const std::string& final_message) {
  const std::string_view mark = kEndMark.substr(0, kEndMark.size() - 1);
  const size_t at = render.rfind(mark);
  const bool has_message =
      render.find(jinja::stripped(final_message, jinja::Side::kBoth)) != std::string::npos;
  if (at == std::string::npos || !has_message) return std::nullopt;
  std::string before = render.substr(0, at);
  if (render.compare(at, kEndMark.size(), kEndMark) == 0) return before;
  return std::string(jinja::stripped(before, jinja::Side::kRight));
}

void define_variables(jinja::Meter& meter, jinja::Scope& scope, const ChatTemplate::Inputs& inputs,
                      const Json& messages) {
  scope.set("documents", jinja::None{});
  scope.set("messages", jinja::value_from_json(meter, messages));
  scope.set("tools", jinja::value_from_json(meter, inputs.tools));
  scope.set("add_generation_prompt", inputs.add_generation_prompt);
  if (!inputs.variables.is_object()) return;
  for (const auto& [name, value] : inputs.variables.get_ref<const Json::object_t&>()) {
    scope.set(name, jinja::value_from_json(meter, value));
  }
}

}  // namespace

ChatTemplate::ChatTemplate(std::shared_ptr<const jinja::Ast> ast, std::string name)
    : ast_(std::move(ast)), name_(std::move(name)) {}

Result<ChatTemplate> ChatTemplate::parse(const std::string& source, std::string name) {
  if (source.size() > kMaxSourceBytes) {
    return Error{ErrorCode::kBadFile,
                 {},
                 name,
                 std::to_string(source.size()) + " bytes of template",
                 "at most " + std::to_string(kMaxSourceBytes),
                 {}};
  }
  auto tokens = jinja::tokenize(replace_invalid_utf8(source));
  if (!tokens.ok()) return with_subject(tokens.error(), name);
  auto ast = jinja::parse_tokens(std::move(*tokens));
  if (!ast.ok()) return with_subject(ast.error(), name);
  return ChatTemplate(std::move(*ast), std::move(name));
}

Result<std::string> ChatTemplate::render(const Inputs& inputs, const TemplateLimits& limits) const {
  const auto now = inputs.now.empty() ? Result(jinja::local_time()) : jinja::parse_time(inputs.now);
  if (!now.ok()) return now.error();
  Json marked;
  std::string final_message;
  if (inputs.continue_final_message) {
    marked = inputs.messages;
    std::string* text = final_text(marked);
    if (text == nullptr)
      return Error{ErrorCode::kUsage, {}, "messages", "the last message has no text to continue", {}, {}};
    final_message = *text;
    *text += kEndMark;
  }
  // In this order, for values tell the meter when they go, and namespaces hold values.
  jinja::Meter meter(limits);
  std::deque<jinja::Namespace> namespaces;
  jinja::Scope globals(nullptr);
  jinja::define_functions(meter, globals, namespaces, *now);
  define_variables(meter, globals, inputs, inputs.continue_final_message ? marked : inputs.messages);
  std::string out = jinja::Interpreter(meter, globals).render(*ast_);
  if (const auto& fault = meter.fault()) {
    return with_subject(jinja::template_error(fault->line, fault->what), name_);
  }
  if (!inputs.continue_final_message) return out;
  if (auto cut = cut_at_mark(out, final_message)) return std::move(*cut);
  return Error{ErrorCode::kBadFile,
               {},
               name_,
               "the render doesn't end with the last message's text",
               "a template that keeps it, to continue the message",
               {}};
}

}  // namespace aprx
