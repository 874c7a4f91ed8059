// Walks the AST and writes the render. One object a render; see meter.h for how it fails.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "runtime/template/ast.h"
#include "runtime/template/object.h"
#include "runtime/template/output.h"
#include "runtime/template/scope.h"

namespace aprx::jinja {

class Macro;
class Loop;

class Interpreter {
 public:
  // `globals` must outlive the interpreter and the values it makes.
  Interpreter(Meter& meter, Scope& globals) : meter_(meter), scope_(&globals) {}

  // The text that the template writes; meaningless when the meter has a fault.
  std::string render(const Ast& ast);

  Value call_macro(const Macro& macro, const Arguments& arguments);

 private:
  enum class Flow { kNormal, kBreak, kContinue };

  // A new innermost scope for as long as this lives, inside of `parent`.
  class Inner {
   public:
    Inner(Interpreter& interpreter, Scope* parent);
    ~Inner();
    Inner(const Inner&) = delete;
    Inner& operator=(const Inner&) = delete;

   private:
    Interpreter& interpreter_;
    Scope* outer_;
    std::unique_ptr<Scope> scope_;
  };

  // Collects what is written for as long as this lives.
  class Capture {
   public:
    explicit Capture(Interpreter& interpreter);
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    Value take(Meter& meter) { return make_text(meter, output_.take()); }

   private:
    Interpreter& interpreter_;
    Output* outer_;
    Output output_;
  };

  // interpreter_statements.cc
  Flow run(const Body& body);
  Flow run(const Stmt& stmt);
  Flow run_if(const Stmt& stmt);
  Flow run_for(const Stmt& stmt);
  Flow run_loop(const Stmt& stmt, const Value& over, int level, Scope* around);
  std::shared_ptr<Loop> make_loop(const Stmt& stmt, const Value& over, int level, Scope* around);
  Flow run_set_block(const Stmt& stmt);
  Flow run_filter_block(const Stmt& stmt);
  Flow run_with(const Stmt& stmt);
  Flow run_in_scope(const Body& body);
  void run_call_block(const Stmt& stmt);
  Value make_macro(const Stmt& stmt);
  void assign(const Expr& target, const Value& value);
  void assign_items(const Expr& target, const Value& value);
  void assign_attribute(const Expr& target, const Value& value);

  // interpreter_macros.cc
  bool bind_parameters(const Macro& macro, const Arguments& arguments);
  void bind_rest(const Macro& macro, const Arguments& arguments);

  // interpreter_expressions.cc
  Value eval(const Expr& expr);
  Value eval_name(const Expr& expr);
  Value eval_dict(const Expr& expr);
  Value eval_slice(const Expr& expr);
  Value eval_call(const Expr& expr, const Value* caller = nullptr);
  Value eval_filter(const Expr& expr, const Value* input = nullptr);
  Value eval_plus(const Expr& expr);
  Value eval_compare(const Expr& expr);
  Value eval_concat(const Expr& expr);
  Value eval_conditional(const Expr& expr);
  Values eval_items(const Expr& expr);
  Arguments eval_arguments(const Expr& expr);

  Meter& meter_;
  Scope* scope_;
  Output* output_ = nullptr;
  std::deque<std::unique_ptr<Scope>> kept_scopes_;
};

}  // namespace aprx::jinja
