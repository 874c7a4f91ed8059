// Values with behaviour: macros, namespaces, loops, functions, bound methods.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/template/value.h"

namespace aprx::jinja {

struct Arguments {
  Values positional;
  std::vector<std::pair<std::string, Value>> named;
};

class Object {
 public:
  // `depth`: 1 more than that of the deepest value it owns.
  explicit Object(int depth) : depth_(depth) {}
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] virtual std::string type_name() const = 0;
  [[nodiscard]] virtual bool is_callable() const { return false; }
  // Nothing if it has no such attribute.
  virtual std::optional<Value> attribute(Meter& meter, std::string_view name);
  virtual Value call(Meter& meter, const Arguments& arguments);

 private:
  int depth_;
};

// The only value that a template can change: `{% set ns.x = 1 %}`.
class Namespace : public Object {
 public:
  Namespace() : Object(1) {}
  [[nodiscard]] std::string type_name() const override { return "Namespace"; }
  std::optional<Value> attribute(Meter& meter, std::string_view name) override;
  void set(std::string_view name, Value value);
  [[nodiscard]] const std::vector<std::pair<std::string, Value>>& attributes() const { return attributes_; }

 private:
  std::vector<std::pair<std::string, Value>> attributes_;
};

}  // namespace aprx::jinja
