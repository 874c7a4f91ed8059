// Reads node lists: which operators there are, and what stands for their operands and attributes.
#include <algorithm>

#include "runtime/model/read_state.h"

namespace aprx {

namespace {

std::optional<Word> allowed_word(const AttributeSpec& spec, const std::string& name) {
  const std::optional<Word> word = name == word_name(Word::kNone) ? Word::kNone : word_named(name);
  if (!word || std::ranges::find(spec.words, *word) == spec.words.end()) return std::nullopt;
  return word;
}

class NodeReader {
 public:
  explicit NodeReader(ReadState& state) : state_(state) {}

  std::vector<NodeTemplate> list(const Json& json, const std::string& where) {
    std::vector<NodeTemplate> out;
    if (!state_.is_list(json, where)) return out;
    for (size_t i = 0; i < json.size(); ++i) out.push_back(entry(json[i], join_path(where, i)));
    return out;
  }

 private:
  NodeTemplate entry(const Json& json, const std::string& where) {
    NodeTemplate node;
    if (!state_.is_object(json, where)) return node;
    if (json.contains("use")) {
      state_.is_object(json, where, {"use"});
      node = use(json["use"], join_path(where, "use"));
    } else if (json.contains("kind")) {
      state_.is_object(json, where, {"kind"});
      node = by_kind(json["kind"], join_path(where, "kind"));
    } else if (json.contains("either")) {
      state_.is_object(json, where, {"either"});
      node = either(json["either"], join_path(where, "either"));
    } else {
      node = op_node(json, where);
    }
    node.where = where;
    return node;
  }

  NodeTemplate use(const Json& json, const std::string& where) {
    NodeTemplate node;
    node.form = NodeTemplate::Form::kUse;
    node.fragment = state_.text(json, where);
    state_.use_fragment(node.fragment, where);
    return node;
  }

  NodeTemplate by_kind(const Json& json, const std::string& where) {
    NodeTemplate node;
    node.form = NodeTemplate::Form::kByKind;
    if (!state_.is_object(json, where)) return node;
    for (const auto& [kind, nodes] : json.items())
      node.arms.push_back({kind, list(nodes, join_path(where, kind))});
    return node;
  }

  NodeTemplate either(const Json& json, const std::string& where) {
    NodeTemplate node;
    node.form = NodeTemplate::Form::kEither;
    if (!state_.is_list(json, where)) return node;
    for (size_t i = 0; i < json.size(); ++i) {
      const std::string at = join_path(where, i);
      if (!state_.is_object(json[i], at, {"has", "use"})) return node;
      NodeTemplate::Arm arm;
      if (json[i].contains("has")) {
        arm.test = state_.text(json[i]["has"], join_path(at, "has"));
        state_.use_role(arm.test, join_path(at, "has"));
      }
      arm.nodes.push_back(use(state_.child(json[i], at, "use"), join_path(at, "use")));
      node.arms.push_back(std::move(arm));
    }
    return node;
  }

  NodeTemplate op_node(const Json& json, const std::string& where) {
    NodeTemplate node;
    const std::string name = state_.text(state_.child(json, where, "op"), join_path(where, "op"));
    const std::optional<Op> op = op_named(name);
    if (!op) {
      state_.fail(join_path(where, "op"), "'" + name + "' is no operator");
      return node;
    }
    node.op = *op;
    const Operator& schema = operator_of(*op);
    for (const auto& [key, value] : json.items()) member(node, schema, key, value, where);
    check_complete(node, schema, where);
    return node;
  }

  void member(NodeTemplate& node, const Operator& schema, const std::string& key, const Json& value,
              const std::string& where) {
    const std::string at = join_path(where, key);
    if (key == "op") return;
    if (key == "in") {
      node.in = state_.texts(value, at);
    } else if (key == "out") {
      node.out = state_.texts(value, at);
    } else if (key == "optional") {
      optional(node, value, at);
    } else if (const OperandSpec* operand = operand_named(schema, key)) {
      node.operands.push_back(operand_of(*operand, value, at));
    } else if (const AttributeSpec* attribute = attribute_named(schema, key)) {
      node.attributes.push_back(attribute_of(*attribute, value, at));
    } else {
      state_.fail(at, "is neither operand nor attribute of " + std::string(op_name(schema.op)));
    }
  }

  void optional(NodeTemplate& node, const Json& json, const std::string& where) {
    if (json.is_string() && json.get<std::string>().starts_with("@")) {
      node.needs_key = state_.expression(json, where);
    } else {
      node.needs_role = state_.text(json, where);
      state_.use_role(node.needs_role, where);
    }
  }

  static const OperandSpec* operand_named(const Operator& schema, const std::string& name) {
    for (const OperandSpec& spec : schema.operands) {
      const bool is_of_file = spec.kind == OperandKind::kWeight || spec.kind == OperandKind::kVector;
      if (is_of_file && role_name(spec.role) == name) return &spec;
    }
    return nullptr;
  }

  static const AttributeSpec* attribute_named(const Operator& schema, const std::string& name) {
    for (const AttributeSpec& spec : schema.attributes) {
      if (attr_name(spec.id) == name) return &spec;
    }
    return nullptr;
  }

  OperandTemplate operand_of(const OperandSpec& spec, const Json& json, const std::string& where) {
    OperandTemplate out{&spec, {}};
    if (json.is_object()) {
      state_.is_object(json, where, {"either"});
      out.tensors = state_.texts(state_.child(json, where, "either"), join_path(where, "either"));
    } else {
      out.tensors = {state_.text(json, where)};
    }
    for (const std::string& role : out.tensors) state_.use_role(role, where);
    return out;
  }

  AttributeTemplate attribute_of(const AttributeSpec& spec, const Json& json, const std::string& where) {
    AttributeTemplate out;
    out.spec = &spec;
    out.where = where;
    if (json.is_object() && json.contains("kind")) {
      state_.is_object(json, where, {"kind"});
      out.form = AttributeTemplate::Form::kByKind;
      out.cases = cases_of(spec, json["kind"], join_path(where, "kind"));
    } else if (json.is_object()) {
      state_.is_object(json, where, {"map", "to"});
      out.form = AttributeTemplate::Form::kMap;
      out.expression = state_.expression(state_.child(json, where, "map"), join_path(where, "map"));
      out.cases = cases_of(spec, state_.child(json, where, "to"), join_path(where, "to"));
    } else if (spec.type == APRX_ATTR_WORD) {
      read_word(out, spec, state_.text(json, where));
    } else {
      out.expression = state_.expression(json, where);
    }
    return out;
  }

  std::vector<AttributeCase> cases_of(const AttributeSpec& spec, const Json& json, const std::string& where) {
    std::vector<AttributeCase> out;
    if (!state_.is_object(json, where)) return out;
    for (const auto& [key, value] : json.items()) {
      const std::string at = join_path(where, key);
      if (value.is_object())
        state_.fail(at, "is an object", "a text");
      else
        out.push_back({key, attribute_of(spec, value, at)});
    }
    return out;
  }

  void read_word(AttributeTemplate& out, const AttributeSpec& spec, const std::string& text) {
    static constexpr std::string_view kScheme = "scheme.";
    if (text.starts_with(kScheme)) {
      out.form = AttributeTemplate::Form::kScheme;
      out.name = text.substr(kScheme.size());
      state_.use_setting(out.name, out.where);
      return;
    }
    out.form = AttributeTemplate::Form::kWord;
    const std::optional<Word> word = allowed_word(spec, text);
    if (word) {
      out.word = *word;
    } else {
      state_.fail(out.where, "'" + text + "' is no word that this attribute takes");
    }
  }

  void check_complete(const NodeTemplate& node, const Operator& schema, const std::string& where) {
    for (const OperandSpec& spec : schema.operands) {
      const bool is_of_file = spec.kind == OperandKind::kWeight || spec.kind == OperandKind::kVector;
      const bool given =
          std::ranges::find(node.operands, &spec, &OperandTemplate::spec) != node.operands.end();
      if (is_of_file && !spec.is_optional && !given)
        state_.fail(where, "lacks operand '" + std::string(role_name(spec.role)) + "'");
    }
    for (const AttributeSpec& spec : schema.attributes) {
      const bool given =
          std::ranges::find(node.attributes, &spec, &AttributeTemplate::spec) != node.attributes.end();
      if (!spec.fallback && !given)
        state_.fail(where, "lacks attribute '" + std::string(attr_name(spec.id)) + "'");
    }
    check_ends(node, schema, where);
  }

  void check_ends(const NodeTemplate& node, const Operator& schema, const std::string& where) {
    const auto count = [&](OperandKind kind) {
      return static_cast<size_t>(std::ranges::count(schema.operands, kind, &OperandSpec::kind));
    };
    // An operator without activations reads the graph's input, as embed does.
    const size_t inputs = count(OperandKind::kActivation);
    if (inputs > 0 ? node.in.size() != inputs : node.in != std::vector<std::string>{"ids"})
      state_.fail(join_path(where, "in"), "doesn't name what " + std::string(op_name(schema.op)) + " reads",
                  inputs > 0 ? std::to_string(inputs) + " names" : "ids");
    if (node.out.size() != count(OperandKind::kOutput))
      state_.fail(join_path(where, "out"), "doesn't name what " + std::string(op_name(schema.op)) + " gives");
    const bool may_be_absent = !node.needs_role.empty() || node.needs_key;
    if (may_be_absent && (node.out.size() != 1 || std::ranges::find(node.in, node.out[0]) == node.in.end()))
      state_.fail(join_path(where, "out"), "is none of 'in', but the node is optional");
  }

  ReadState& state_;
};

}  // namespace

std::vector<NodeTemplate> read_nodes(ReadState& state, const Json& json, const std::string& where) {
  return NodeReader(state).list(json, where);
}

}  // namespace aprx
