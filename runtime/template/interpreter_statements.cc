#include "runtime/template/builtin.h"
#include "runtime/template/interpreter.h"
#include "runtime/template/loop.h"
#include "runtime/template/macro.h"
#include "runtime/template/print.h"

namespace aprx::jinja {

Interpreter::Inner::Inner(Interpreter& interpreter, Scope* parent)
    : interpreter_(interpreter), outer_(interpreter.scope_), scope_(std::make_unique<Scope>(parent)) {
  interpreter_.scope_ = scope_.get();
}

Interpreter::Inner::~Inner() {
  interpreter_.scope_ = outer_;
  if (!scope_->is_kept()) return;
  interpreter_.meter_.hold(sizeof(Scope) + 4 * sizeof(Value));
  interpreter_.kept_scopes_.push_back(std::move(scope_));
}

Interpreter::Capture::Capture(Interpreter& interpreter)
    : interpreter_(interpreter), outer_(interpreter.output_), output_(interpreter.meter_) {
  interpreter_.output_ = &output_;
}

Interpreter::Capture::~Capture() { interpreter_.output_ = outer_; }

std::string Interpreter::render(const Ast& ast) {
  Output output(meter_);
  output_ = &output;
  const Inner inner(*this, scope_);
  run(ast.body);
  return output.take();
}

Interpreter::Flow Interpreter::run(const Body& body) {
  for (const Stmt* stmt : body) {
    if (!meter_.ok()) break;
    const Flow flow = run(*stmt);
    if (flow != Flow::kNormal) return flow;
  }
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run(const Stmt& stmt) {
  const Frame frame(meter_, stmt.line);
  if (!frame.entered()) return Flow::kNormal;
  switch (stmt.kind) {
    case StmtKind::kData: output_->append(stmt.text); break;
    case StmtKind::kOutput: output_->append(str_of(meter_, eval(*stmt.value))); break;
    case StmtKind::kIf: return run_if(stmt);
    case StmtKind::kFor: return run_for(stmt);
    case StmtKind::kSet: assign(*stmt.target, eval(*stmt.value)); break;
    case StmtKind::kSetBlock: return run_set_block(stmt);
    case StmtKind::kMacro: scope_->set(stmt.text, make_macro(stmt)); break;
    case StmtKind::kCall: run_call_block(stmt); break;
    case StmtKind::kFilter: return run_filter_block(stmt);
    case StmtKind::kWith: return run_with(stmt);
    case StmtKind::kScope: return run_in_scope(stmt.body);
    case StmtKind::kBreak: return Flow::kBreak;
    case StmtKind::kContinue: return Flow::kContinue;
  }
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run_if(const Stmt& stmt) {
  for (const Branch& branch : stmt.branches) {
    const bool is_taken = is_truthy(eval(*branch.test));
    if (!meter_.ok()) return Flow::kNormal;
    if (is_taken) return run(branch.body);
  }
  return run(stmt.otherwise);
}

Interpreter::Flow Interpreter::run_for(const Stmt& stmt) {
  const Value over = eval(*stmt.value);
  return meter_.ok() ? run_loop(stmt, over, 0, scope_) : Flow::kNormal;
}

std::shared_ptr<Loop> Interpreter::make_loop(const Stmt& stmt, const Value& over, int level, Scope* around) {
  Loop::Filter filter;
  if (stmt.test != nullptr) {
    filter = [this, &stmt, around](const Value& item) {
      const Inner inner(*this, around);
      assign(*stmt.target, item);
      return is_truthy(eval(*stmt.test));
    };
  }
  Loop::Recurse recurse;
  if (stmt.is_recursive) {
    around->keep();
    recurse = [this, &stmt, level, around](const Value& items) {
      Capture capture(*this);
      run_loop(stmt, items, level + 1, around);
      return capture.take(meter_);
    };
  }
  return std::make_shared<Loop>(items_of(meter_, over), std::move(filter), std::move(recurse), level);
}

// Runs the body for each item. The scopes of the body and of the filter are inside of `around`.
Interpreter::Flow Interpreter::run_loop(const Stmt& stmt, const Value& over, int level, Scope* around) {
  const Frame frame(meter_, stmt.line);
  const auto loop = make_loop(stmt, over, level, around);
  size_t index = 0;
  for (; meter_.step() && loop->has(index); ++index) {
    const Inner inner(*this, around);
    loop->move_to(index);
    assign(*stmt.target, loop->item(index));
    scope_->set("loop", std::shared_ptr<Object>(loop));
    if (run(stmt.body) == Flow::kBreak) break;
  }
  const bool was_empty = index == 0 && !loop->has(0);
  loop->close();
  if (!was_empty || !meter_.ok()) return Flow::kNormal;
  const Inner inner(*this, around);
  return run(stmt.otherwise);
}

Interpreter::Flow Interpreter::run_in_scope(const Body& body) {
  const Inner inner(*this, scope_);
  return run(body);
}

Interpreter::Flow Interpreter::run_set_block(const Stmt& stmt) {
  Value text;
  {
    Capture capture(*this);
    const Flow flow = run_in_scope(stmt.body);
    if (flow != Flow::kNormal) return flow;
    text = capture.take(meter_);
  }
  assign(*stmt.target, stmt.value != nullptr ? eval_filter(*stmt.value, &text) : text);
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run_filter_block(const Stmt& stmt) {
  Value text;
  {
    Capture capture(*this);
    const Flow flow = run_in_scope(stmt.body);
    if (flow != Flow::kNormal) return flow;
    text = capture.take(meter_);
  }
  output_->append(str_of(meter_, eval_filter(*stmt.value, &text)));
  return Flow::kNormal;
}

// The values are evaluated outside of the new scope.
Interpreter::Flow Interpreter::run_with(const Stmt& stmt) {
  Values values;
  for (const auto& [target, value] : stmt.assignments) values.push_back(eval(*value));
  const Inner inner(*this, scope_);
  for (size_t i = 0; i < values.size(); ++i) assign(*stmt.assignments[i].first, values[i]);
  return run(stmt.body);
}

Value Interpreter::make_macro(const Stmt& stmt) {
  scope_->keep();
  return std::shared_ptr<Object>(std::make_shared<Macro>(*this, stmt, *scope_));
}

void Interpreter::run_call_block(const Stmt& stmt) {
  const Value caller = make_macro(stmt);
  output_->append(str_of(meter_, eval_call(*stmt.value, &caller)));
}

void Interpreter::assign(const Expr& target, const Value& value) {
  if (target.kind == ExprKind::kName) {
    scope_->set(target.name, value);
  } else if (target.kind == ExprKind::kTuple) {
    assign_items(target, value);
  } else {
    assign_attribute(target, value);
  }
}

void Interpreter::assign_items(const Expr& target, const Value& value) {
  const Values values = items_of(meter_, value);
  if (values.size() != target.items.size()) {
    return meter_.fail("can't unpack " + std::to_string(values.size()) + " values into " +
                       std::to_string(target.items.size()) + " names");
  }
  for (size_t i = 0; i < values.size(); ++i) assign(*target.items[i], values[i]);
}

void Interpreter::assign_attribute(const Expr& target, const Value& value) {
  const Value owner = eval(*target.items[0]);
  auto* space = dynamic_cast<Namespace*>(owner.object());
  if (space == nullptr)
    return meter_.fail("can only assign attributes of a namespace, not of " + type_name(owner));
  space->set(target.name, value);
}

}  // namespace aprx::jinja
