#include "runtime/template/conversation.h"

#include "tests/template/render_cases.h"

namespace aprx::test {

namespace {

std::string render_chat(std::string_view source, const ChatTemplate::Inputs& inputs) {
  const auto parsed = ChatTemplate::parse(std::string(source), "tokenizer.chat_template");
  REQUIRE(parsed.ok());
  const auto out = parsed->render(inputs);
  return out.ok() ? *out : "error: " + out.error().text();
}

ChatTemplate::Inputs chat(const std::string& messages) {
  auto parsed = parse_messages(messages, "chat.json");
  REQUIRE(parsed.ok());
  ChatTemplate::Inputs inputs;
  inputs.messages = std::move(*parsed);
  return inputs;
}

std::string refusal(const std::string& messages) {
  const auto parsed = parse_messages(messages, "chat.json");
  return parsed.ok() ? "" : parsed.error().text();
}

}  // namespace

TEST_CASE("a conversation that isn't an array of objects with a role is refused by name") {
  CHECK(refusal("[{]") == "chat.json: not JSON at byte 3, expected an array of objects");
  CHECK(refusal("{}") == "chat.json: messages: is object, expected an array of objects");
  CHECK(refusal(R"([{"role": "user"}, 7])") == "chat.json: messages[1]: is number, expected an object");
  CHECK(refusal(R"([{"content": "x"}])") ==
        "chat.json: messages[0].role: is absent, expected a text such as \"user\"");
  CHECK(refusal(R"([{"role": null}])") ==
        "chat.json: messages[0].role: is null, expected a text such as \"user\"");
  CHECK(refusal(R"([{"role": "user", "content": null}])").empty());
  CHECK(refusal("[]").empty());
}

TEST_CASE("tools are an array of objects, or null") {
  CHECK(parse_tools("null", "tools.json")->is_null());
  CHECK(parse_tools(R"([{"type": "function"}])", "tools.json")->size() == 1);
  CHECK(parse_tools("[1]", "tools.json").error().text() ==
        "tools.json: tools[0]: is number, expected an object");
}

TEST_CASE("the built-in template writes ChatML") {
  auto inputs =
      chat(R"([{"role": "system", "content": "Be kind."}, {"role": "user", "content": " Hi <b> "}])");
  CHECK(render_chat(builtin_chatml(), inputs) ==
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n Hi <b> "
        "<|im_end|>\n<|im_start|>assistant\n");
  inputs.add_generation_prompt = false;
  CHECK(render_chat(builtin_chatml(), inputs) ==
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n Hi <b> <|im_end|>\n");
}

TEST_CASE("the built-in template takes the texts among content parts, and no other part") {
  CHECK(render_chat(builtin_chatml(), chat(R"([{"role": "user", "content": [{"type": "text", "text": "a"},
      {"type": "text", "text": "b"}]}, {"role": "assistant", "content": null}, {"role": "user"}])")) ==
        "<|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\n<|im_end|>\n<|im_start|>user\n<|im_end|>\n"
        "<|im_start|>assistant\n");
  CHECK(render_chat(builtin_chatml(), chat(R"([{"role": "user", "content": [{"type": "image"}]}])"))
            .ends_with("the template refuses: content of type image is not supported"));
}

TEST_CASE("arguments of a tool call given as text reach the template as text") {
  const auto inputs = chat(R"([{"role": "assistant", "content": "", "tool_calls":
      [{"function": {"name": "f", "arguments": "{\"a\": 1}"}}]}])");
  CHECK(render_chat("{{ messages[0].tool_calls[0].function.arguments | tojson }}", inputs) ==
        R"("{\"a\": 1}")");
}

TEST_CASE(
    "a final message is continued after its own text, without trailing white space that a template strips") {
  auto inputs =
      chat(R"([{"role": "user", "content": "q"}, {"role": "assistant", "content": "The answer  "}])");
  inputs.continue_final_message = true;
  inputs.add_generation_prompt = false;
  CHECK(render_chat("{% for m in messages %}[{{ m.content }}]{% endfor %}", inputs) == "[q][The answer  ");
  CHECK(render_chat("{% for m in messages %}[{{ m.content | trim }}]{% endfor %}", inputs) ==
        "[q][The answer");
  CHECK(render_chat("{{ messages[0].content }}", inputs) ==
        "error: tokenizer.chat_template: the render doesn't end with the last message's text, expected a "
        "template "
        "that keeps it, to continue the message");
  inputs.messages.back().erase("content");
  CHECK(render_chat("x", inputs) == "error: messages: the last message has no text to continue");
}

TEST_CASE("invalid UTF-8 and numbers beyond 64 bits in a conversation") {
  ChatTemplate::Inputs inputs;
  inputs.messages = {{{"role", "user"}, {"content", "a\xFF"}}};
  CHECK(render_chat("{{ messages[0].content }}", inputs) == "a\xEF\xBF\xBD");
  inputs.messages = {{{"role", "user"}, {"n", UINT64_MAX}}};
  CHECK(render_chat("x", inputs).ends_with("the number 18446744073709551615 does not fit in 64 bits"));
}

}  // namespace aprx::test
