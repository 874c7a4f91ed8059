// What reading a description keeps track of: its first mistake, and which of its names are used.
#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/description.h"

namespace aprx {

using Json = nlohmann::ordered_json;

// After a mistake, reading goes on with empty values and the mistake is told at the end.
class ReadState {
 public:
  explicit ReadState(std::string file) : file_(std::move(file)) {}

  void fail(const std::string& where, std::string found, std::string expected = {});
  [[nodiscard]] const std::optional<Error>& mistake() const { return mistake_; }

  std::string text(const Json& json, const std::string& where);
  std::vector<std::string> texts(const Json& json, const std::string& where);  // one text, or a list
  Expression expression(const Json& json, const std::string& where);
  Comparison comparison(const Json& json, const std::string& where);

  // The value of a key that must be there; an empty object if it isn't.
  const Json& child(const Json& object, const std::string& where, const char* key);
  // Fails unless `json` is an object (a list) and, of an object, has only these keys.
  bool is_object(const Json& json, const std::string& where,
                 std::initializer_list<std::string_view> keys = {});
  bool is_list(const Json& json, const std::string& where);

  // A name that was met; whether it is known, and whether each known one is used, is told at the end.
  void use_role(const std::string& role, const std::string& where) { roles_.emplace(role, where); }
  void use_fragment(const std::string& name, const std::string& where) { fragments_.emplace(name, where); }
  void use_setting(const std::string& name, const std::string& where) { settings_.emplace(name, where); }
  void check_names(const Description& description);

 private:
  using Uses = std::map<std::string, std::string>;  // name: where it was met first
  void use_names_of(const Expression& expression, const std::string& where);
  void check(const Uses& uses, const std::set<std::string>& known, const std::string& what);

  std::string file_;
  std::optional<Error> mistake_;
  Uses roles_, fragments_, settings_, lets_;
};

[[nodiscard]] inline std::string join_path(const std::string& where, std::string_view key) {
  return where.empty() ? std::string(key) : where + "." + std::string(key);
}

[[nodiscard]] inline std::string join_path(const std::string& where, size_t index) {
  return where + "[" + std::to_string(index) + "]";
}

// A list of nodes.
std::vector<NodeTemplate> read_nodes(ReadState& state, const Json& json, const std::string& where);

}  // namespace aprx
