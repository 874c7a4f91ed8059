// A model description: one JSON file that says, for one architecture, which tensors its files hold,
// what must be true of them, and which operators they feed. It is data; nothing in it is executed.
// The grammar is written in docs/schema/README.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aprx/op.hpp"
#include "core/base/result.h"
#include "core/op/operator.h"
#include "runtime/model/expression.h"

namespace aprx {

enum class RoleTable { kModel, kLayer, kDraft };

// What a file must hold for a role.
struct TensorTemplate {
  std::string role;
  RoleTable table = RoleTable::kModel;
  bool is_optional = false;
  std::vector<Expression> shape;  // outermost first
  std::string where;              // JSON path, for messages
};

// One way to know the kind of a layer.
struct KindRule {
  enum class Form {
    kHas,    // cases: kind, role that such a layer has
    kEvery,  // every `value`-th layer is cases[0].first, the rest cases[1].first
    kKey,    // cases: value, kind
  };
  Form form = Form::kHas;
  Expression value;
  std::vector<std::pair<std::string, std::string>> cases;
  std::string where;
};

// What an attribute is for one value of a map or one kind of layer. Defined behind the template that it
// is a part of.
struct AttributeCase;

// What stands for an attribute.
struct AttributeTemplate {
  enum class Form { kExpression, kWord, kScheme, kMap, kByKind };
  const AttributeSpec* spec = nullptr;  // of the catalogue, which lives as long as the program
  Form form = Form::kExpression;
  Expression expression;  // kExpression; of a map, what it looks at
  Word word = Word::kNone;
  std::string name;                  // kScheme: entry of Scheme::set
  std::vector<AttributeCase> cases;  // kMap, kByKind
  std::string where;
};

struct AttributeCase {
  std::string key;
  AttributeTemplate value;
};

struct OperandTemplate {
  const OperandSpec* spec = nullptr;
  std::vector<std::string> tensors;  // roles of the description; the first that is present
};

struct NodeTemplate {
  enum class Form { kNode, kUse, kByKind, kEither };
  struct Arm {
    std::string test;  // kByKind: a kind; kEither: a role that must be present, or empty
    std::vector<NodeTemplate> nodes;
  };
  Form form = Form::kNode;
  std::string where;
  // kNode
  Op op = Op::kNone;
  std::vector<std::string> in, out;
  std::vector<OperandTemplate> operands;
  std::vector<AttributeTemplate> attributes;
  std::string needs_role;               // left out where this role is absent
  std::optional<Expression> needs_key;  // left out where this key is absent
  // kUse
  std::string fragment;
  // kByKind, kEither
  std::vector<Arm> arms;
};

// How one family of file formats spells keys and tensors.
struct Scheme {
  std::map<std::string, Expression, std::less<>> keys;                 // canonical key: the file's
  std::map<std::string, std::vector<std::string>, std::less<>> names;  // role: names, {i} is the layer
  std::map<std::string, Word, std::less<>> set;
  std::vector<std::string> ignored;  // names that no graph needs; * stands for any text
};

struct Description {
  std::string path;
  std::vector<std::string> architectures;
  std::map<std::string, Expression, std::less<>> lets;
  std::vector<Comparison> requirements;
  std::map<std::string, TensorTemplate, std::less<>> tensors;
  std::optional<KindRule> kinds;
  std::vector<KindRule> cross_checks;
  std::map<std::string, std::vector<NodeTemplate>, std::less<>> fragments;
  std::vector<NodeTemplate> embed, layer, head;
  Expression layers;
  std::map<std::string, Scheme, std::less<>> schemes;

  // Whatever is unknown, missing, unused or goes in circles is an error with `path` and JSON path.
  [[nodiscard]] static Result<Description> parse(std::string_view json, std::string path);
};

}  // namespace aprx
