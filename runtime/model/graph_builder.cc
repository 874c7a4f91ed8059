#include "runtime/model/graph_builder.h"

#include <algorithm>

#include "core/op/shape.h"
#include "runtime/model/requirement.h"

namespace aprx {

namespace {

// * stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  for (size_t at = star; at <= name.size(); ++at) {
    if (matches(pattern.substr(star + 1), name.substr(at))) return true;
  }
  return false;
}

const AttributeTemplate* case_of(const AttributeTemplate& from, const std::string& name) {
  const auto found = std::ranges::find(from.cases, name, &AttributeCase::key);
  return found == from.cases.end() ? nullptr : &found->value;
}

}  // namespace

GraphBuilder::GraphBuilder(const Lookup& lookup, const GraphOptions& options,
                           const std::vector<Source>& layers)
    : lookup_(lookup), binder_(lookup, layers) {
  graph_.context = options.context;
  graph_.kv_dtype = options.kv_dtype;
  graph_.ids = graph_.add_input("ids", kTokensDim);
  graph_.positions = graph_.add_input("positions", kTokensDim);
  graph_.rows = graph_.add_input("rows", kRowsDim);
  values_["ids"] = graph_.ids;
}

Result<void> GraphBuilder::add_nodes(const std::vector<NodeTemplate>& nodes, const Place& place) {
  const Chosen list = chosen(nodes, place);
  if (place.layer) {
    if (auto ok = check_requirements(lookup_, place.layer, layer_keys(list, place)); !ok) return ok;
  }
  for (const NodeTemplate* from : list) {
    auto node = bind(*from, place);
    if (!node) return node.error();
    if (auto ok = connect(*from, *std::move(node)); !ok) return ok;
  }
  return {};
}

GraphBuilder::Chosen GraphBuilder::chosen(const std::vector<NodeTemplate>& nodes, const Place& place) const {
  Chosen out;
  const auto append = [&](const std::vector<NodeTemplate>& more) {
    const Chosen part = chosen(more, place);
    out.insert(out.end(), part.begin(), part.end());
  };
  for (const NodeTemplate& node : nodes) {
    const auto holds = [&](const NodeTemplate::Arm& arm) {
      if (node.form == NodeTemplate::Form::kByKind) return arm.test == place.kind;
      return arm.test.empty() || lookup_.tensor(arm.test, place.layer).has_value();
    };
    if (node.form == NodeTemplate::Form::kUse) {
      append(lookup_.description().fragments.find(node.fragment)->second);
    } else if (node.form != NodeTemplate::Form::kNode) {
      const auto arm = std::ranges::find_if(node.arms, holds);
      if (arm != node.arms.end()) append(arm->nodes);
    } else if (!is_left_out(node, place.layer)) {
      out.push_back(&node);
    }
  }
  return out;
}

bool GraphBuilder::is_left_out(const NodeTemplate& node, LayerIndex layer) const {
  if (!node.needs_role.empty()) return !lookup_.tensor(node.needs_role, layer);
  if (!node.needs_key) return false;
  const auto value = lookup_.evaluate(*node.needs_key, layer);
  return value.ok() && !value->value;
}

std::set<std::string> GraphBuilder::layer_keys(const Chosen& nodes, const Place& place) const {
  std::set<std::string> keys;
  for (const NodeTemplate* node : nodes) {
    for (const AttributeTemplate& attribute : node->attributes) {
      const AttributeTemplate* used = &attribute;
      if (attribute.form == AttributeTemplate::Form::kByKind) used = case_of(attribute, place.kind);
      if (used == nullptr) continue;
      keys.merge(lookup_.layer_keys(used->expression));
    }
    for (const OperandTemplate& operand : node->operands) {
      for (const std::string& role : operand.tensors) {
        for (const Expression& axis : lookup_.description().tensors.find(role)->second.shape)
          keys.merge(lookup_.layer_keys(axis));
      }
    }
  }
  return keys;
}

Result<Node> GraphBuilder::bind(const NodeTemplate& from, const Place& place) {
  Node node{from.op, place.label, {}, {}};
  for (const OperandTemplate& operand : from.operands) {
    if (auto ok = bind_operand(node, operand, place.layer); !ok) return ok.error();
  }
  for (const AttributeTemplate& one : from.attributes) {
    auto value = attribute(one, place);
    if (!value) return value.error();
    node.attributes.push_back(*value);
  }
  return node;
}

Result<void> GraphBuilder::bind_operand(Node& node, const OperandTemplate& from, LayerIndex layer) {
  const auto is_present = [&](const std::string& role) { return lookup_.tensor(role, layer).has_value(); };
  auto role = std::ranges::find_if(from.tensors, is_present);
  if (role == from.tensors.end()) {
    const auto is_optional = [&](const std::string& name) {
      return lookup_.description().tensors.find(name)->second.is_optional;
    };
    if (from.spec->is_optional && std::ranges::all_of(from.tensors, is_optional)) return {};
    // The last alternative is the one that a file must have if it has no other.
    role = std::prev(role);
  }
  const auto id = binder_.bind(graph_, *role, layer, from.spec->kind);
  if (!id) return id.error();
  node.operands.push_back({from.spec->role, *id, false});
  return {};
}

Result<void> GraphBuilder::connect(const NodeTemplate& from, Node node) {
  size_t read = 0;
  for (const OperandSpec& spec : operator_of(from.op).operands) {
    if (spec.kind != OperandKind::kActivation) continue;
    const std::string& name = from.in[read++];
    const auto value = values_.find(name);
    if (value == values_.end()) {
      return Error{ErrorCode::kBadFile,
                   lookup_.description().path,
                   from.where + ".in",
                   "'" + name + "' has not been computed before",
                   "",
                   ""};
    }
    node.operands.push_back({spec.role, value->second, false});
  }
  // Plugins see operands in the operator's order.
  const auto& specs = operator_of(from.op).operands;
  std::ranges::stable_sort(node.operands, {}, [&](const Operand& operand) {
    return std::ranges::find(specs, operand.role, &OperandSpec::role) - specs.begin();
  });
  if (auto ok = complete_node(graph_, node); !ok) {
    ok.error().file = lookup_.file().path();
    return ok;
  }
  size_t given = 0;
  for (const Operand& operand : node.operands) {
    if (operand.is_output && graph_.tensor(operand.tensor).kind == APRX_ACTIVATION)
      values_[from.out[given++]] = operand.tensor;
  }
  graph_.add_node(std::move(node));
  return {};
}

Result<aprx_attribute> GraphBuilder::attribute(const AttributeTemplate& from, const Place& place) const {
  switch (from.form) {
    case AttributeTemplate::Form::kWord: return word_attribute(from.spec->id, from.word);
    case AttributeTemplate::Form::kScheme: return setting(from);
    case AttributeTemplate::Form::kMap: return mapped(from, place);
    case AttributeTemplate::Form::kByKind: return by_kind(from, place);
    case AttributeTemplate::Form::kExpression: break;
  }
  return number(from, place.layer);
}

Result<aprx_attribute> GraphBuilder::by_kind(const AttributeTemplate& from, const Place& place) const {
  if (const AttributeTemplate* one = case_of(from, place.kind)) return attribute(*one, place);
  return Error{ErrorCode::kBadFile,
               lookup_.description().path,
               from.where,
               "depends on the kind of layer outside of layers",
               "",
               ""};
}

Result<aprx_attribute> GraphBuilder::number(const AttributeTemplate& from, LayerIndex layer) const {
  const bool is_integer = from.spec->type == APRX_ATTR_INT;
  const auto value =
      is_integer ? lookup_.integer(from.expression, layer) : lookup_.number(from.expression, layer);
  if (!value) return value.error();
  const auto* integer = std::get_if<int64_t>(&*value->value);
  if (is_integer) return integer_attribute(from.spec->id, *integer);
  return real_attribute(from.spec->id,
                        integer != nullptr ? static_cast<double>(*integer) : std::get<double>(*value->value));
}

Result<aprx_attribute> GraphBuilder::mapped(const AttributeTemplate& from, const Place& place) const {
  const auto value = lookup_.scalar(from.expression, place.layer);
  if (!value) return value.error();
  const std::string text = scalar_text(*value->value);
  if (const AttributeTemplate* one = case_of(from, text)) return attribute(*one, place);
  std::string known;
  for (const auto& [name, unused] : from.cases) known += (known.empty() ? "" : ", ") + name;
  Error error = lookup_.error(value->sources, "'" + text + "' is not supported", "one of " + known);
  error.code = ErrorCode::kCapability;
  return error;
}

Result<aprx_attribute> GraphBuilder::setting(const AttributeTemplate& from) const {
  const Word word = lookup_.scheme().set.find(from.name)->second;
  if (std::ranges::find(from.spec->words, word) != from.spec->words.end())
    return word_attribute(from.spec->id, word);
  return Error{ErrorCode::kBadFile,
               lookup_.description().path,
               from.where,
               "'" + std::string(word_name(word)) + "' is no word that this attribute takes",
               "",
               ""};
}

std::optional<size_t> GraphBuilder::draft_tensor(int64_t block) const {
  for (const auto& [role, tensor] : lookup_.description().tensors) {
    if (tensor.table != RoleTable::kDraft) continue;
    if (const auto found = lookup_.tensor(role, block)) return found;
  }
  return std::nullopt;
}

Result<void> GraphBuilder::claim_drafts(const Evaluated& layers) {
  const int64_t count = std::get<int64_t>(*layers.value);
  for (int64_t block = 0; block < count; ++block) {
    if (const auto found = draft_tensor(block)) {
      return Error{ErrorCode::kBadFile,
                   lookup_.file().path(),
                   lookup_.file().tensors()[*found].name,
                   "belongs to a draft block, but block " + std::to_string(block) +
                       " is a layer of the model by " + sources_text(layers.sources),
                   "",
                   ""};
    }
  }
  for (int64_t block = count; draft_tensor(block); ++block) {
    for (const auto& [role, tensor] : lookup_.description().tensors) {
      if (tensor.table == RoleTable::kModel || !lookup_.tensor(role, block)) continue;
      if (auto ok = binder_.claim(role, block); !ok) return ok;
    }
  }
  return {};
}

std::string GraphBuilder::unclaimed_warning() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < lookup_.file().tensors().size(); ++i) {
    const std::string& name = lookup_.file().tensors()[i].name;
    const auto is_ignored = [&](const std::string& pattern) { return matches(pattern, name); };
    if (!binder_.claimed().contains(i) && std::ranges::none_of(lookup_.scheme().ignored, is_ignored))
      names.push_back(name);
  }
  if (names.empty()) return "";
  std::string out = "tensor " + names.front();
  if (names.size() > 1) out += " and " + std::to_string(names.size() - 1) + " more";
  return out + (names.size() > 1 ? " are" : " is") +
         " not used: no operator of this architecture has a place for " + (names.size() > 1 ? "them" : "it");
}

Result<BuiltGraph> GraphBuilder::finish() {
  BuiltGraph out;
  if (graph_.logits == kNoTensor)
    return Error{ErrorCode::kBadFile, lookup_.description().path, "head", "gives no logits", "", ""};
  if (std::string warning = unclaimed_warning(); !warning.empty()) out.warnings.push_back(std::move(warning));
  for (const size_t index : binder_.claimed()) {
    uint64_t values = 1;
    for (const int64_t axis : lookup_.file().tensors()[index].shape) values *= static_cast<uint64_t>(axis);
    out.parameters += values;
  }
  out.bound = binder_.bound();
  out.vocabulary = graph_.tensor(graph_.logits).shape.back();
  out.graph = std::move(graph_);
  return out;
}

}  // namespace aprx
