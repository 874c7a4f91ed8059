// The parsed template: expressions and statements, owned by one arena, so that freeing a deep tree needs no
// stack. Immutable once parsed; shared by all renders.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "runtime/template/value.h"

namespace aprx::jinja {

enum class Op : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
};

enum class ExprKind : uint8_t {
  kLiteral,      // literal
  kName,         // name
  kList,         // items
  kTuple,        // items
  kDict,         // items: key, value, key, value ...
  kAttribute,    // items[0] . name
  kItem,         // items[0] [ items[1] ]
  kSlice,        // items[0] [ items[1] : items[2] : items[3] ], the last three may be null
  kCall,         // items[0] ( arguments )
  kFilter,       // items[0] | name ( arguments ); items[0] is null in a filter block
  kTest,         // items[0] is name ( arguments )
  kNot,          // items[0]
  kNegate,       // items[0]
  kPlus,         // items[0]
  kBinary,       // items[0] ops[0] items[1]
  kCompare,      // items[0] ops[0] items[1] ops[1] items[2] ...
  kAnd,          // items[0], items[1]
  kOr,           // items[0], items[1]
  kConcat,       // items joined by ~
  kConditional,  // items[0] if items[1] else items[2], which may be null
};

struct Expr {
  ExprKind kind;
  int line;
  std::string name;
  Value literal;
  std::vector<Expr*> items;
  std::vector<Op> ops;
  // Of calls, filters and tests; the first argument of a call is items[1], of filters and tests too.
  std::vector<std::pair<std::string, Expr*>> named;
  Expr* unpacked = nullptr;        // *values
  Expr* unpacked_named = nullptr;  // **values
};

struct Stmt;
using Body = std::vector<Stmt*>;

struct Parameter {
  std::string name;
  Expr* default_value;  // null without
};

struct Branch {
  Expr* test;
  Body body;
};

enum class StmtKind : uint8_t {
  kData,      // text
  kOutput,    // value
  kIf,        // branches, otherwise
  kFor,       // target in value, test (may be null), body, otherwise, is_recursive
  kSet,       // target = value
  kSetBlock,  // target = body, through the filter `value` (may be null)
  kMacro,     // text (its name), parameters, body
  kCall,      // value (the call), parameters, body
  kFilter,    // body through the filter `value`
  kWith,      // targets and values in `assignments`, body
  kScope,     // body, with its own variables
  kBreak,
  kContinue,
};

struct Stmt {
  StmtKind kind;
  int line;
  std::string text;
  Expr* target = nullptr;
  Expr* value = nullptr;
  Expr* test = nullptr;
  Body body;
  Body otherwise;
  std::vector<Branch> branches;
  std::vector<Parameter> parameters;
  std::vector<std::pair<Expr*, Expr*>> assignments;
  bool is_recursive = false;
  bool uses_varargs = false;  // what the body of a macro or call block mentions
  bool uses_kwargs = false;
  bool uses_caller = false;
};

struct Ast {
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  Body body;
};

}  // namespace aprx::jinja
