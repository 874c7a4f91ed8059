#include "runtime/template/builtin.h"

#include <algorithm>

namespace aprx::jinja {

bool Call::has(size_t index) const { return args[index] != nullptr && !args[index]->is_none(); }

Value Call::fail(std::string what) const {
  meter.fail(std::move(what));
  return {};
}

int64_t Call::integer(size_t index, int64_t otherwise) const {
  if (!has(index)) return otherwise;
  const auto number = args[index]->integer();
  if (!number) fail("'" + type_name(*args[index]) + "' object cannot be interpreted as an integer");
  return number.value_or(otherwise);
}

std::string_view Call::text(size_t index, std::string_view otherwise) const {
  if (!has(index)) return otherwise;
  const Text* text = args[index]->text();
  if (text != nullptr) return text->bytes;
  fail("an argument must be str, not " + type_name(*args[index]));
  return otherwise;
}

bool Call::flag(size_t index, bool otherwise) const {
  return has(index) ? is_truthy(*args[index]) : otherwise;
}

Value Call::value(size_t index, Value otherwise) const {
  if (args[index] == nullptr) return otherwise;
  return *args[index];
}

const Builtin* find_builtin(std::span<const Builtin> table, std::string_view name) {
  const auto at =
      std::find_if(table.begin(), table.end(), [&](const Builtin& each) { return each.name == name; });
  return at != table.end() ? &*at : nullptr;
}

namespace {

struct Parameters {
  std::vector<std::string_view> names;
  size_t required = 0;  // these come first
};

Parameters parameters_of(std::string_view text) {
  Parameters out;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.back() == '?') {
      word.remove_suffix(1);
    } else {
      ++out.required;
    }
    out.names.push_back(word);
  }
  return out;
}

bool bind(Call& call, const Builtin& builtin, const Parameters& parameters) {
  const std::string name(builtin.name);
  const size_t most = parameters.names.size();
  call.args.assign(most, nullptr);
  if (call.given.positional.size() > most) {
    call.fail(name + "() takes at most " + std::to_string(most) + " arguments, got " +
              std::to_string(call.given.positional.size()));
    return false;
  }
  for (size_t i = 0; i < call.given.positional.size(); ++i) call.args[i] = &call.given.positional[i];
  for (const auto& [key, value] : call.given.named) {
    const auto at = std::find(parameters.names.begin(), parameters.names.end(), key);
    const size_t index = static_cast<size_t>(at - parameters.names.begin());
    if (index == most || call.args[index] != nullptr) {
      call.fail(name + "() got " + (index == most ? "an unexpected" : "two values for") +
                " keyword argument '" + key + "'");
      return false;
    }
    call.args[index] = &value;
  }
  for (size_t i = 0; i < parameters.required; ++i) {
    if (call.args[i] != nullptr) continue;
    call.fail(name + "() is missing its argument '" + std::string(parameters.names[i]) + "'");
    return false;
  }
  return true;
}

}  // namespace

Value run_builtin(Meter& meter, const Builtin& builtin, const Value& self, const Arguments& given) {
  Call call{meter, self, {}, given};
  if (self.text() != nullptr) meter.step(self.text()->bytes.size() / kBytesPerStep);
  if (builtin.parameters != "*" && !bind(call, builtin, parameters_of(builtin.parameters))) return {};
  return builtin.run(call);
}

Value run_filter(Meter& meter, std::string_view name, const Value& self, const Arguments& given) {
  if (const Builtin* filter = find_filter(name)) return run_builtin(meter, *filter, self, given);
  meter.fail("no filter named '" + std::string(name) + "'");
  return {};
}

bool run_test(Meter& meter, std::string_view name, const Value& self, const Arguments& given) {
  if (const Builtin* test = find_test(name)) return is_truthy(run_builtin(meter, *test, self, given));
  meter.fail("no test named '" + std::string(name) + "'");
  return false;
}

}  // namespace aprx::jinja
