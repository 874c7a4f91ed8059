#include "runtime/template/object.h"

namespace aprx::jinja {

std::optional<Value> Object::attribute(Meter& /*meter*/, std::string_view /*name*/) { return std::nullopt; }

Value Object::call(Meter& meter, const Arguments& /*arguments*/) {
  meter.fail("'" + type_name() + "' object is not callable");
  return {};
}

std::optional<Value> Namespace::attribute(Meter& /*meter*/, std::string_view name) {
  for (const auto& [key, value] : attributes_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

void Namespace::set(std::string_view name, Value value) {
  for (auto& [key, old] : attributes_) {
    if (key != name) continue;
    old = std::move(value);
    return;
  }
  attributes_.emplace_back(name, std::move(value));
}

}  // namespace aprx::jinja
