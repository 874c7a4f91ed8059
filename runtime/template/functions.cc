#include "runtime/template/functions.h"

#include <memory>

#include "runtime/template/compare.h"
#include "runtime/template/print.h"

namespace aprx::jinja {

namespace {

// As Jinja's sandbox has it.
constexpr int64_t kMaxRange = 100'000;

constexpr size_t kMaxTimeFormat = 1000;

class Function : public Object {
 public:
  Function(std::string name, int depth, FunctionBody body)
      : Object(depth), name_(std::move(name)), body_(std::move(body)) {}
  [[nodiscard]] std::string type_name() const override { return "function " + name_; }
  [[nodiscard]] bool is_callable() const override { return true; }
  Value call(Meter& meter, const Arguments& arguments) override { return body_(meter, arguments); }

 private:
  std::string name_;
  FunctionBody body_;
};

Value fail(Meter& meter, std::string what) {
  meter.fail(std::move(what));
  return {};
}

// Length of a range; nothing when it is longer than can be told.
std::optional<int64_t> range_length(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  int64_t span = 0;
  if (__builtin_sub_overflow(stop, start, &span) || step == INT64_MIN) return std::nullopt;
  const int64_t size = step > 0 ? step : -step;
  return (span > 0 ? span - 1 : -span - 1) / size + 1;
}

Value range(Meter& meter, const Arguments& arguments) {
  const size_t count = arguments.positional.size();
  if (count < 1 || count > 3 || !arguments.named.empty())
    return fail(meter, "range takes one to three integers");
  std::vector<int64_t> numbers;
  for (const Value& value : arguments.positional) {
    const auto number = value.integer();
    if (!number) return fail(meter, "'" + type_name(value) + "' object cannot be interpreted as an integer");
    numbers.push_back(*number);
  }
  const int64_t start = count > 1 ? numbers[0] : 0;
  const int64_t stop = count > 1 ? numbers[1] : numbers[0];
  const int64_t step = count > 2 ? numbers[2] : 1;
  if (step == 0) return fail(meter, "range() arg 3 must not be zero");
  const auto length = range_length(start, stop, step);
  if (!length || *length > kMaxRange) {
    return fail(meter, "range is too long: at most " + std::to_string(kMaxRange) + " items are allowed");
  }
  Values items;
  for (int64_t i = 0; i < *length; ++i) items.emplace_back(start + i * step);
  std::string label = "range(" + std::to_string(start) + ", " + std::to_string(stop);
  if (step != 1) label += ", " + std::to_string(step);
  return make_sequence(meter, SequenceKind::kRange, std::move(items), label + ")");
}

// dict(mapping or pairs, name=value, ...)
Entries dict_entries(Meter& meter, const Arguments& arguments) {
  Entries entries;
  if (arguments.positional.size() > 1) meter.fail("dict expected at most 1 argument");
  if (arguments.positional.size() == 1) {
    const Value& given = arguments.positional[0];
    if (given.mapping() != nullptr) {
      entries = given.mapping()->entries;
    } else {
      for (const Value& pair : items_of(meter, given)) {
        Values both = items_of(meter, pair);
        if (both.size() != 2) meter.fail("dict needs pairs of a key and a value");
        if (!meter.ok()) break;
        put_entry(meter, entries, std::move(both[0]), std::move(both[1]));
      }
    }
  }
  for (const auto& [name, value] : arguments.named) put_entry(meter, entries, make_text(meter, name), value);
  return entries;
}

Value new_namespace(Meter& meter, std::deque<Namespace>& namespaces, const Arguments& arguments) {
  meter.hold(sizeof(Namespace) + sizeof(Value) * 4);
  Namespace& made = namespaces.emplace_back();
  for (const auto& [key, value] : dict_entries(meter, arguments)) made.set(str_of(meter, key), value);
  // Not owned: see define_functions().
  return std::shared_ptr<Object>(std::shared_ptr<Object>(), &made);
}

class Cycler : public Object, public std::enable_shared_from_this<Cycler> {
 public:
  Cycler(Values items, int depth) : Object(depth), items_(std::move(items)) {}
  [[nodiscard]] std::string type_name() const override { return "Cycler"; }
  std::optional<Value> attribute(Meter& meter, std::string_view name) override {
    if (name == "current") return items_[at_];
    if (name != "next" && name != "reset") return std::nullopt;
    const bool moves = name == "next";
    return make_function(
        meter, std::string(name), depth(),
        [self = shared_from_this(), moves](Meter&, const Arguments&) { return self->turn(moves); });
  }

 private:
  Value turn(bool moves) {
    Value current = moves ? items_[at_] : Value(None{});
    at_ = moves ? (at_ + 1) % items_.size() : 0;
    return current;
  }
  Values items_;
  size_t at_ = 0;
};

Value cycler(Meter& meter, const Arguments& arguments) {
  if (arguments.positional.empty()) return fail(meter, "at least one item has to be provided");
  const int depth = depth_of(make_tuple(meter, arguments.positional)) + 1;
  if (!meter.ok()) return {};
  return std::shared_ptr<Object>(std::make_shared<Cycler>(arguments.positional, depth));
}

// Gives nothing at the first call, the separator after that.
Value joiner(Meter& meter, const Arguments& arguments) {
  Value separator = arguments.positional.empty() ? literal_text(", ") : arguments.positional[0];
  for (const auto& [name, value] : arguments.named) separator = value;
  const int depth = depth_of(separator) + 1;
  return make_function(meter, "joiner", depth,
                       [separator, is_used = false](Meter&, const Arguments&) mutable {
                         return std::exchange(is_used, true) ? separator : literal_text("");
                       });
}

Value raise_exception(Meter& meter, const Arguments& arguments) {
  std::string message;
  for (const Value& value : arguments.positional) message += str_of(meter, value);
  for (const auto& [name, value] : arguments.named) message += str_of(meter, value);
  return fail(meter, "the template refuses: " + message);
}

Value strftime_now(Meter& meter, const Arguments& arguments, const CalendarTime& now) {
  if (arguments.positional.size() != 1 || arguments.positional[0].text() == nullptr) {
    return fail(meter, "strftime_now takes one format");
  }
  if (arguments.positional[0].text()->bytes.size() > kMaxTimeFormat)
    return fail(meter, "strftime_now: the format is too long");
  auto text = format_time(now, arguments.positional[0].text()->bytes);
  if (!text.ok()) return fail(meter, "strftime_now: " + text.error().found);
  return make_text(meter, std::move(*text));
}

}  // namespace

Value make_function(Meter& meter, std::string name, int depth, FunctionBody body) {
  if (depth < kMaxValueDepth) {
    return std::shared_ptr<Object>(std::make_shared<Function>(std::move(name), depth + 1, std::move(body)));
  }
  return fail(meter, "a value is nested too deeply");
}

void define_functions(Meter& meter, Scope& scope, std::deque<Namespace>& namespaces,
                      const CalendarTime& now) {
  const auto define = [&](const char* name, FunctionBody body) {
    scope.set(name, make_function(meter, name, 0, std::move(body)));
  };
  define("range", range);
  define("dict", [](Meter& m, const Arguments& given) { return make_mapping(m, dict_entries(m, given)); });
  define("namespace",
         [&namespaces](Meter& m, const Arguments& given) { return new_namespace(m, namespaces, given); });
  define("cycler", cycler);
  define("joiner", joiner);
  define("raise_exception", raise_exception);
  define("strftime_now", [now](Meter& m, const Arguments& given) { return strftime_now(m, given, now); });
}

}  // namespace aprx::jinja
