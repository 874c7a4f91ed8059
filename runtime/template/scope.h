// The variables that a part of a template sees: its own, then those of the parts around it.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "runtime/template/value.h"

namespace aprx::jinja {

class Scope {
 public:
  // `parent` (null for the outermost) must outlive this one.
  explicit Scope(Scope* parent) : parent_(parent) {}

  // Null if no scope up to the outermost has the name.
  [[nodiscard]] const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent_) {
      for (const auto& [key, value] : scope->variables_) {
        if (key == name) return &value;
      }
    }
    return nullptr;
  }

  // Sets a variable of this scope. The characters of `name` must outlive it.
  void set(std::string_view name, Value value) {
    for (auto& [key, old] : variables_) {
      if (key != name) continue;
      old = std::move(value);
      return;
    }
    variables_.emplace_back(name, std::move(value));
  }

  // A macro or recursive loop refers to this scope, so it and those around it have to stay until the end.
  void keep() {
    for (Scope* scope = this; scope != nullptr && !scope->is_kept_; scope = scope->parent_)
      scope->is_kept_ = true;
  }
  [[nodiscard]] bool is_kept() const { return is_kept_; }

 private:
  Scope* parent_;
  bool is_kept_ = false;
  std::vector<std::pair<std::string_view, Value>> variables_;
};

}  // namespace aprx::jinja
