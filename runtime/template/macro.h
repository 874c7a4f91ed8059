// A macro, or the body of a call block, with the scope it was defined in.
#pragma once

#include <string>

#include "runtime/template/interpreter.h"

namespace aprx::jinja {

class Macro : public Object {
 public:
  // All three must outlive it; the interpreter keeps the scope.
  Macro(Interpreter& interpreter, const Stmt& definition, Scope& scope)
      : Object(1), interpreter_(interpreter), definition_(definition), scope_(scope) {}
  [[nodiscard]] std::string type_name() const override { return "Macro"; }
  [[nodiscard]] bool is_callable() const override { return true; }
  Value call(Meter& /*meter*/, const Arguments& arguments) override {
    return interpreter_.call_macro(*this, arguments);
  }
  [[nodiscard]] const Stmt& definition() const { return definition_; }
  [[nodiscard]] Scope& scope() const { return scope_; }

 private:
  Interpreter& interpreter_;
  const Stmt& definition_;
  Scope& scope_;
};

}  // namespace aprx::jinja
