#include <algorithm>

#include "runtime/template/macro.h"

namespace aprx::jinja {

namespace {

const Value* find_named(const Arguments& arguments, std::string_view name) {
  const auto at = std::find_if(arguments.named.begin(), arguments.named.end(),
                               [&](const auto& each) { return each.first == name; });
  return at != arguments.named.end() ? &at->second : nullptr;
}

// Whether the keyword belongs to a parameter that no positional argument has filled.
bool is_parameter(const Macro& macro, const Arguments& arguments, std::string_view name) {
  const auto& parameters = macro.definition().parameters;
  for (size_t i = arguments.positional.size(); i < parameters.size(); ++i) {
    if (parameters[i].name == name) return true;
  }
  return false;
}

}  // namespace

Value Interpreter::call_macro(const Macro& macro, const Arguments& arguments) {
  const Frame frame(meter_, macro.definition().line);
  if (!frame.entered()) return {};
  const Inner inner(*this, &macro.scope());
  if (!bind_parameters(macro, arguments)) return {};
  Capture capture(*this);
  run(macro.definition().body);
  return capture.take(meter_);
}

bool Interpreter::bind_parameters(const Macro& macro, const Arguments& arguments) {
  const auto& parameters = macro.definition().parameters;
  bind_rest(macro, arguments);
  for (size_t i = 0; i < parameters.size() && meter_.ok(); ++i) {
    const Parameter& parameter = parameters[i];
    if (i < arguments.positional.size()) {
      scope_->set(parameter.name, arguments.positional[i]);
    } else if (const Value* named = find_named(arguments, parameter.name)) {
      scope_->set(parameter.name, *named);
    } else if (parameter.default_value != nullptr) {
      // A default sees the parameters before it.
      scope_->set(parameter.name, eval(*parameter.default_value));
    } else {
      scope_->set(parameter.name, make_undefined("parameter '" + parameter.name + "' was not provided"));
    }
  }
  return meter_.ok();
}

// What no parameter takes: varargs, kwargs, and caller.
void Interpreter::bind_rest(const Macro& macro, const Arguments& arguments) {
  const Stmt& definition = macro.definition();
  const size_t taken = std::min(arguments.positional.size(), definition.parameters.size());
  if (taken < arguments.positional.size() && !definition.uses_varargs) {
    meter_.fail("macro '" + definition.text + "' takes not more than " + std::to_string(taken) +
                " arguments");
  }
  Entries rest;
  for (const auto& [name, value] : arguments.named) {
    if (is_parameter(macro, arguments, name) || (name == "caller" && definition.uses_caller)) continue;
    if (!definition.uses_kwargs)
      meter_.fail("macro '" + definition.text + "' takes no keyword argument '" + name + "'");
    rest.emplace_back(make_text(meter_, name), value);
  }
  if (definition.uses_varargs) {
    scope_->set("varargs",
                make_tuple(meter_, {arguments.positional.begin() + static_cast<std::ptrdiff_t>(taken),
                                    arguments.positional.end()}));
  }
  if (definition.uses_kwargs) scope_->set("kwargs", make_mapping(meter_, std::move(rest)));
  if (definition.uses_caller) {
    const Value* caller = find_named(arguments, "caller");
    scope_->set("caller", caller != nullptr ? *caller : make_undefined("no caller defined"));
  }
}

}  // namespace aprx::jinja
