#include "runtime/model/description.h"

#include <algorithm>
#include <set>

#include "runtime/model/read_state.h"

namespace aprx {

namespace {

// Line and column of a byte, both from 1.
std::string place_of(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const size_t line = 1 + static_cast<size_t>(std::ranges::count(before, '\n'));
  const size_t column =
      before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1);
  return "line " + std::to_string(line) + ", column " + std::to_string(column + 1);
}

// The library reports bad JSON by an exception; here it becomes a value.
Result<Json> parse_json(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text, nullptr, true, true);
  } catch (const Json::parse_error& error) {
    return Error{ErrorCode::kBadFile, path, place_of(text, error.byte), "is not valid JSON here", "", ""};
  }
}

class DescriptionReader {
 public:
  explicit DescriptionReader(std::string path) : state_(path) { out_.path = std::move(path); }

  Result<Description> read(const Json& json) {
    if (state_.is_object(json, "",
                         {"architecture", "let", "requires", "tensors", "kinds", "cross_check", "fragments",
                          "embed", "layer", "layers", "head", "schemes"})) {
      read_parts(json);
    }
    if (!state_.mistake()) state_.check_names(out_);
    if (!state_.mistake()) check_circles();
    if (!state_.mistake()) check_kind_switches();
    if (state_.mistake()) return *state_.mistake();
    return std::move(out_);
  }

 private:
  void read_parts(const Json& json) {
    out_.architectures = state_.texts(state_.child(json, "", "architecture"), "architecture");
    if (json.contains("let")) read_lets(json["let"]);
    if (json.contains("requires")) read_requirements(json["requires"]);
    read_tensors(state_.child(json, "", "tensors"));
    if (json.contains("kinds")) out_.kinds = kinds(json["kinds"]);
    if (json.contains("cross_check")) read_cross_checks(json["cross_check"]);
    if (json.contains("fragments")) read_fragments(json["fragments"]);
    out_.embed = read_nodes(state_, state_.child(json, "", "embed"), "embed");
    out_.layer = read_nodes(state_, state_.child(json, "", "layer"), "layer");
    out_.head = read_nodes(state_, state_.child(json, "", "head"), "head");
    out_.layers = state_.expression(state_.child(json, "", "layers"), "layers");
    read_schemes(state_.child(json, "", "schemes"));
  }

  void read_lets(const Json& json) {
    if (!state_.is_object(json, "let")) return;
    for (const auto& [name, value] : json.items())
      out_.lets[name] = state_.expression(value, join_path("let", name));
  }

  void read_requirements(const Json& json) {
    if (!state_.is_list(json, "requires")) return;
    for (size_t i = 0; i < json.size(); ++i)
      out_.requirements.push_back(state_.comparison(json[i], join_path("requires", i)));
  }

  void read_tensors(const Json& json) {
    if (!state_.is_object(json, "tensors", {"model", "layer", "draft"})) return;
    for (const auto& [name, table] : json.items()) {
      const std::string where = join_path("tensors", name);
      if (!state_.is_object(table, where)) return;
      const RoleTable kind = name == "model"   ? RoleTable::kModel
                             : name == "layer" ? RoleTable::kLayer
                                               : RoleTable::kDraft;
      for (const auto& [role, shape] : table.items()) read_tensor(kind, role, shape, join_path(where, role));
    }
  }

  void read_tensor(RoleTable table, std::string role, const Json& shape, const std::string& where) {
    TensorTemplate tensor;
    tensor.table = table;
    tensor.where = where;
    tensor.is_optional = role.ends_with('?');
    if (tensor.is_optional) role.pop_back();
    tensor.role = role;
    if (!state_.is_list(shape, where)) return;
    for (size_t i = 0; i < shape.size(); ++i)
      tensor.shape.push_back(state_.expression(shape[i], join_path(where, i)));
    if (!out_.tensors.emplace(role, std::move(tensor)).second)
      state_.fail(where, "is a second '" + role + "'");
  }

  KindRule kinds(const Json& json) {
    if (!state_.is_object(json, "kinds")) return {};
    if (json.contains("every") || json.contains("key")) return periodic_or_key(json, "kinds");
    KindRule rule;
    rule.where = "kinds";
    for (const auto& [kind, test] : json.items()) {
      const std::string at = join_path("kinds", kind);
      state_.is_object(test, at, {"has"});
      const std::string role = state_.text(state_.child(test, at, "has"), join_path(at, "has"));
      state_.use_role(role, join_path(at, "has"));
      rule.cases.emplace_back(kind, role);
    }
    return rule;
  }

  KindRule periodic_or_key(const Json& json, const std::string& where) {
    KindRule rule;
    rule.where = where;
    if (json.contains("every")) {
      state_.is_object(json, where, {"every", "last", "rest"});
      rule.form = KindRule::Form::kEvery;
      rule.value = state_.expression(json["every"], join_path(where, "every"));
      for (const char* key : {"last", "rest"})
        rule.cases.emplace_back(state_.text(state_.child(json, where, key), join_path(where, key)), "");
      return rule;
    }
    state_.is_object(json, where, {"key", "values"});
    rule.form = KindRule::Form::kKey;
    rule.value = state_.expression(state_.child(json, where, "key"), join_path(where, "key"));
    const Json& values = state_.child(json, where, "values");
    if (!state_.is_object(values, join_path(where, "values"))) return rule;
    for (const auto& [value, kind] : values.items())
      rule.cases.emplace_back(value, state_.text(kind, join_path(where, "values." + value)));
    return rule;
  }

  void read_cross_checks(const Json& json) {
    if (!state_.is_list(json, "cross_check")) return;
    for (size_t i = 0; i < json.size(); ++i) {
      const std::string at = join_path("cross_check", i);
      if (state_.is_object(json[i], at)) out_.cross_checks.push_back(periodic_or_key(json[i], at));
    }
  }

  void read_fragments(const Json& json) {
    if (!state_.is_object(json, "fragments")) return;
    for (const auto& [name, nodes] : json.items())
      out_.fragments[name] = read_nodes(state_, nodes, join_path("fragments", name));
  }

  void read_schemes(const Json& json) {
    if (!state_.is_object(json, "schemes")) return;
    for (const auto& [name, scheme] : json.items()) {
      const std::string at = join_path("schemes", name);
      if (!state_.is_object(scheme, at, {"keys", "names", "set", "ignored"})) return;
      out_.schemes[name] = read_scheme(scheme, at);
    }
  }

  Scheme read_scheme(const Json& json, const std::string& where) {
    Scheme scheme;
    read_names(scheme, state_.child(json, where, "names"), join_path(where, "names"));
    if (json.contains("keys") && state_.is_object(json["keys"], join_path(where, "keys"))) {
      for (const auto& [key, value] : json["keys"].items())
        scheme.keys[key] = state_.expression(value, join_path(where, "keys." + key));
    }
    if (json.contains("set") && state_.is_object(json["set"], join_path(where, "set"))) {
      for (const auto& [key, value] : json["set"].items())
        read_setting(scheme, key, value, join_path(where, "set." + key));
    }
    if (json.contains("ignored")) scheme.ignored = state_.texts(json["ignored"], join_path(where, "ignored"));
    return scheme;
  }

  void read_setting(Scheme& scheme, const std::string& key, const Json& json, const std::string& where) {
    const std::optional<Word> word = word_named(state_.text(json, where));
    if (!word) return state_.fail(where, "is no word that an attribute takes");
    scheme.set[key] = *word;
  }

  void read_names(Scheme& scheme, const Json& json, const std::string& where) {
    if (!state_.is_object(json, where)) return;
    for (const auto& [role, names] : json.items()) {
      if (!out_.tensors.contains(role)) state_.fail(join_path(where, role), "is no role of this description");
      scheme.names[role] = state_.texts(names, join_path(where, role));
    }
    for (const auto& [role, tensor] : out_.tensors) {
      if (!scheme.names.contains(role)) state_.fail(where, "has no name for role '" + role + "'");
    }
  }

  void check_circles() {
    for (const auto& [name, let] : out_.lets) {
      std::set<std::string> open = {name};
      if (let_returns(let, open)) return state_.fail(join_path("let", name), "depends on itself");
    }
    for (const auto& [name, nodes] : out_.fragments) {
      std::set<std::string> open = {name};
      if (fragment_returns(nodes, open)) return state_.fail(join_path("fragments", name), "uses itself");
    }
  }

  // Whether following names leads to one that is already open.
  bool let_returns(const Expression& expression, std::set<std::string>& open) const {
    if (expression.kind == Expression::Kind::kName) {
      if (!open.insert(expression.name).second) return true;
      if (let_returns(out_.lets.at(expression.name), open)) return true;
      open.erase(expression.name);
    }
    return std::ranges::any_of(expression.parts,
                               [&](const Expression& part) { return let_returns(part, open); });
  }

  bool fragment_returns(const std::vector<NodeTemplate>& nodes, std::set<std::string>& open) const {
    for (const NodeTemplate& node : nodes) {
      if (node.form == NodeTemplate::Form::kUse) {
        if (!open.insert(node.fragment).second) return true;
        if (fragment_returns(out_.fragments.at(node.fragment), open)) return true;
        open.erase(node.fragment);
      }
      for (const auto& arm : node.arms) {
        if (fragment_returns(arm.nodes, open)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::set<std::string> kind_names() const {
    std::set<std::string> names;
    if (!out_.kinds) return names;
    for (const auto& [first, second] : out_.kinds->cases)
      names.insert(out_.kinds->form == KindRule::Form::kKey ? second : first);
    return names;
  }

  // Every switch has an arm for each kind, and no other; every cross-check speaks of known kinds.
  void check_kind_switches() {
    const std::set<std::string> kinds = kind_names();
    for (const KindRule& rule : out_.cross_checks) {
      for (const auto& [first, second] : rule.cases) {
        const std::string& kind = rule.form == KindRule::Form::kKey ? second : first;
        if (!kinds.contains(kind)) state_.fail(rule.where, "'" + kind + "' is no kind of layer");
      }
    }
    check_switches(out_.embed, {});
    check_switches(out_.layer, kinds);
    check_switches(out_.head, {});
    for (const auto& [name, nodes] : out_.fragments) check_switches(nodes, kinds);
  }

  void check_switches(const std::vector<NodeTemplate>& nodes, const std::set<std::string>& kinds) {
    const auto check = [&](const auto& cases, const auto& name_of, const std::string& where) {
      std::set<std::string> named;
      for (const auto& entry : cases) named.insert(name_of(entry));
      if (named != kinds) state_.fail(where, "doesn't have exactly one entry for each kind of layer");
    };
    for (const NodeTemplate& node : nodes) {
      if (node.form == NodeTemplate::Form::kByKind)
        check(node.arms, [](const auto& arm) { return arm.test; }, node.where);
      for (const AttributeTemplate& attribute : node.attributes) {
        if (attribute.form == AttributeTemplate::Form::kByKind)
          check(attribute.cases, [](const auto& entry) { return entry.key; }, attribute.where);
      }
      for (const auto& arm : node.arms) check_switches(arm.nodes, kinds);
    }
  }

  ReadState state_;
  Description out_;
};

}  // namespace

Result<Description> Description::parse(std::string_view json, std::string path) {
  auto parsed = parse_json(json, path);
  if (!parsed) return parsed.error();
  return DescriptionReader(std::move(path)).read(*parsed);
}

}  // namespace aprx
