#include "runtime/model/read_state.h"

#include <algorithm>

namespace aprx {

void ReadState::fail(const std::string& where, std::string found, std::string expected) {
  if (mistake_) return;
  mistake_ = Error{ErrorCode::kBadFile, file_, where.empty() ? "description" : where, std::move(found),
                   std::move(expected), ""};
}

std::string ReadState::text(const Json& json, const std::string& where) {
  if (json.is_string()) return json.get<std::string>();
  fail(where, std::string("is ") + json.type_name(), "a text");
  return {};
}

std::vector<std::string> ReadState::texts(const Json& json, const std::string& where) {
  if (!json.is_array()) return {text(json, where)};
  std::vector<std::string> out;
  for (size_t i = 0; i < json.size(); ++i) out.push_back(text(json[i], join_path(where, i)));
  if (out.empty()) fail(where, "is an empty list", "at least one name");
  return out;
}

Expression ReadState::expression(const Json& json, const std::string& where) {
  const std::string written = text(json, where);
  if (mistake_) return {};
  auto parsed = parse_expression(written);
  if (!parsed) {
    fail(where, parsed.error().found, parsed.error().expected);
    return {};
  }
  use_names_of(*parsed, where);
  return *std::move(parsed);
}

Comparison ReadState::comparison(const Json& json, const std::string& where) {
  const std::string written = text(json, where);
  if (mistake_) return {};
  auto parsed = parse_comparison(written);
  if (!parsed) {
    fail(where, parsed.error().found, parsed.error().expected);
    return {};
  }
  use_names_of(parsed->left, where);
  use_names_of(parsed->right, where);
  return *std::move(parsed);
}

const Json& ReadState::child(const Json& object, const std::string& where, const char* key) {
  static const Json kNothing = Json::object();
  if (object.is_object() && object.contains(key)) return object[key];
  fail(where, std::string("lacks '") + key + "'");
  return kNothing;
}

bool ReadState::is_object(const Json& json, const std::string& where,
                          std::initializer_list<std::string_view> keys) {
  if (!json.is_object()) {
    fail(where, std::string("is ") + json.type_name(), "an object");
    return false;
  }
  if (keys.size() == 0) return true;
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    fail(join_path(where, key), "is not a key that descriptions have here");
  }
  return true;
}

bool ReadState::is_list(const Json& json, const std::string& where) {
  if (json.is_array()) return true;
  fail(where, std::string("is ") + json.type_name(), "a list");
  return false;
}

void ReadState::use_names_of(const Expression& expression, const std::string& where) {
  if (expression.kind == Expression::Kind::kName) lets_.emplace(expression.name, where);
  if (expression.kind == Expression::Kind::kAxis) roles_.emplace(expression.name, where);
  for (const Expression& part : expression.parts) use_names_of(part, where);
}

void ReadState::check(const Uses& uses, const std::set<std::string>& known, const std::string& what) {
  for (const auto& [name, where] : uses) {
    if (!known.contains(name)) fail(where, "'" + name + "' is no " + what + " of this description");
  }
  for (const std::string& name : known) {
    if (!uses.contains(name)) fail(what + " '" + name + "'", "is not used");
  }
}

void ReadState::check_names(const Description& description) {
  const auto keys_of = [](const auto& map) {
    std::set<std::string> keys;
    for (const auto& [key, value] : map) keys.insert(key);
    return keys;
  };
  for (const auto& [role, tensor] : description.tensors) {
    // Draft blocks are accounted for, not run, so nothing uses their tensors.
    if (tensor.table == RoleTable::kDraft) roles_.emplace(role, tensor.where);
  }
  check(roles_, keys_of(description.tensors), "role");
  check(fragments_, keys_of(description.fragments), "fragment");
  check(lets_, keys_of(description.lets), "name in let");
  for (const auto& [name, scheme] : description.schemes) {
    check(settings_, keys_of(scheme.set), "entry of " + join_path("schemes." + name, "set"));
  }
}

}  // namespace aprx
