// Filters, tests, methods and functions are rows of tables: a name, parameter names, and the code. Arguments
// are bound to the parameters in one place, so all of them refuse wrong ones alike.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/template/object.h"

namespace aprx::jinja {

struct Builtin;

struct Call {
  Meter& meter;
  const Value& self;               // the filtered or tested value, or the one that has the method
  std::vector<const Value*> args;  // one a parameter, null where not given
  const Arguments& given;          // all of them as they came, for those that take any ("*")

  // The argument of parameter `index`, or what to take when it is absent or None; a fault for a wrong type.
  [[nodiscard]] bool has(size_t index) const;
  [[nodiscard]] int64_t integer(size_t index, int64_t otherwise) const;
  [[nodiscard]] std::string_view text(size_t index, std::string_view otherwise) const;
  [[nodiscard]] bool flag(size_t index, bool otherwise) const;
  [[nodiscard]] Value value(size_t index, Value otherwise) const;

  Value fail(std::string what) const;  // records the fault; the result means nothing
};

struct Builtin {
  std::string_view name;
  // Parameter names separated by spaces, optional ones with '?' at the end; "*" takes anything.
  std::string_view parameters;
  Value (*run)(const Call& call);
};

[[nodiscard]] const Builtin* find_builtin(std::span<const Builtin> table, std::string_view name);

// Binds and runs. Fails on missing, unknown and surplus arguments.
Value run_builtin(Meter& meter, const Builtin& builtin, const Value& self, const Arguments& given);

// The tables.
[[nodiscard]] const Builtin* find_filter(std::string_view name);
[[nodiscard]] const Builtin* find_test(std::string_view name);
[[nodiscard]] const Builtin* find_text_method(std::string_view name);
[[nodiscard]] const Builtin* find_sequence_method(std::string_view name);
[[nodiscard]] const Builtin* find_mapping_method(std::string_view name);

// Runs a filter or a test by name; a fault if there is none.
Value run_filter(Meter& meter, std::string_view name, const Value& self, const Arguments& given);
bool run_test(Meter& meter, std::string_view name, const Value& self, const Arguments& given);

}  // namespace aprx::jinja
