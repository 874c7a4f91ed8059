// The values of a chat template, with Python's types and meaning: None, bool, int (64 bits), float, str,
// list, tuple, dict, and Jinja's undefined. Values are shared and don't change once made, but for namespaces
// and used-up generators; so nothing that a value owns can lead back to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/template/meter.h"

namespace aprx::jinja {

struct Undefined {
  std::shared_ptr<const std::string> why;  // what to say when it is used, e.g. "'x' is undefined"
};
struct None {};
struct Text;
struct Sequence;
struct Mapping;
class Object;

class Value {
 public:
  Value() = default;  // undefined
  Value(None none) : data_(none) {}
  Value(bool flag) : data_(flag) {}
  Value(int64_t number) : data_(number) {}
  Value(double number) : data_(number) {}
  Value(Undefined undefined) : data_(std::move(undefined)) {}
  Value(std::shared_ptr<const Text> text) : data_(std::move(text)) {}
  Value(std::shared_ptr<Sequence> sequence) : data_(std::move(sequence)) {}
  Value(std::shared_ptr<const Mapping> mapping) : data_(std::move(mapping)) {}
  Value(std::shared_ptr<Object> object) : data_(std::move(object)) {}
  Value(const char*) = delete;  // would become a bool

  [[nodiscard]] bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  [[nodiscard]] bool is_none() const { return std::holds_alternative<None>(data_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
  [[nodiscard]] bool is_int() const { return std::holds_alternative<int64_t>(data_); }
  [[nodiscard]] bool is_float() const { return std::holds_alternative<double>(data_); }
  [[nodiscard]] bool is_number() const { return is_bool() || is_int() || is_float(); }

  // Each is null when the value is of another type. They live as long as the value.
  [[nodiscard]] const Text* text() const;
  [[nodiscard]] Sequence* sequence() const;
  [[nodiscard]] const Mapping* mapping() const;
  [[nodiscard]] Object* object() const;

  // A bool counts as 0 or 1, as in Python.
  [[nodiscard]] std::optional<int64_t> integer() const;
  // Precondition: is_number().
  [[nodiscard]] double number() const;
  // Precondition: is_undefined().
  [[nodiscard]] std::string why() const;

 private:
  std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const Text>, std::shared_ptr<Sequence>,
               std::shared_ptr<const Mapping>, std::shared_ptr<Object>>
      data_;
};

using Values = std::vector<Value>;
using Entries = std::vector<std::pair<Value, Value>>;

struct Text {
  Text(Meter* meter, std::string text, bool markup);
  std::string bytes;  // valid UTF-8
  bool is_markup;     // marked as safe HTML: text that joins it is escaped
  bool is_ascii;
  Charge charge;
};

enum class SequenceKind : uint8_t {
  kList,
  kTuple,
  kGroup,      // a tuple (grouper, list) with those names
  kView,       // a dict's keys, values or items: has a length, no index
  kRange,      // made as a whole, since ranges are short
  kGenerator,  // can be looped over once; made at once, so a fault in it shows even if nobody loops
};

struct Sequence {
  Sequence(Meter* meter, SequenceKind kind_of, Values values, std::string label_of, int depth_of);
  SequenceKind kind;
  Values items;
  bool is_hashable;   // a tuple of hashable items
  std::string label;  // how a range or a view calls itself when printed
  int depth;
  Charge charge;
};

struct Mapping {
  Mapping(Meter* meter, Entries list, int depth_of);
  Entries entries;  // in order of insertion, keys unique
  int depth;
  Charge charge;
};

// At more levels printing, comparing or freeing a value would need too much stack.
inline constexpr int kMaxValueDepth = 200;
[[nodiscard]] int depth_of(const Value& value);

Value make_text(Meter& meter, std::string bytes, bool is_markup = false);
Value literal_text(std::string bytes);  // belongs to no render
Value make_sequence(Meter& meter, SequenceKind kind, Values items, std::string label = {});
Value make_list(Meter& meter, Values items);
Value make_tuple(Meter& meter, Values items);
Value make_generator(Meter& meter, Values items);
Value make_mapping(Meter& meter, Entries entries);
Value make_undefined(std::string why);

// Python's name of the type: "NoneType", "str", "list", ...
[[nodiscard]] std::string type_name(const Value& value);
[[nodiscard]] bool is_truthy(const Value& value);
// Whether the value may be a key of a dict.
[[nodiscard]] bool is_hashable(const Value& value);

// The items that a loop over the value sees: of a dict its keys, of a text its characters. A generator is
// used up. Fails on what can't be looped over.
Values items_of(Meter& meter, const Value& value);
// Python's len(); nothing where that is a type error.
[[nodiscard]] std::optional<int64_t> length_of(const Value& value);

}  // namespace aprx::jinja
