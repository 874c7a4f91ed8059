#include "runtime/template/loop.h"

#include <algorithm>

#include "runtime/template/compare.h"
#include "runtime/template/functions.h"

namespace aprx::jinja {

namespace {

int depth_of_all(const Values& values) {
  int depth = 0;
  for (const Value& value : values) depth = std::max(depth, depth_of(value));
  return depth;
}

}  // namespace

Loop::Loop(Values source, Filter filter, Recurse recurse, int level)
    : Object(depth_of_all(source) + 1),
      source_(std::move(source)),
      filter_(std::move(filter)),
      recurse_(std::move(recurse)),
      level_(level) {}

bool Loop::has(size_t index) {
  while (items_.size() <= index && next_source_ < source_.size()) {
    const Value candidate = source_[next_source_++];
    if (!filter_ || filter_(candidate)) items_.push_back(candidate);
  }
  return items_.size() > index;
}

void Loop::close() {
  is_closed_ = true;
  source_.clear();
  items_.clear();
  last_ = Value();
  filter_ = nullptr;
  recurse_ = nullptr;
}

int64_t Loop::length() {
  while (has(items_.size())) {
  }
  return static_cast<int64_t>(items_.size());
}

std::optional<Value> Loop::counter(std::string_view name) {
  const auto index = static_cast<int64_t>(index_);
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return length() - index;
  if (name == "revindex0") return length() - index - 1;
  if (name == "length") return length();
  if (name == "depth") return int64_t{level_} + 1;
  if (name == "depth0") return int64_t{level_};
  if (name == "first") return index_ == 0;
  if (name == "last") return !has(index_ + 1);
  return std::nullopt;
}

std::optional<Value> Loop::attribute(Meter& meter, std::string_view name) {
  if (is_closed_) return std::nullopt;
  if (name == "previtem") {
    return index_ > 0 ? items_[index_ - 1] : make_undefined("there is no previous item");
  }
  if (name == "nextitem")
    return has(index_ + 1) ? items_[index_ + 1] : make_undefined("there is no next item");
  if (name == "cycle") {
    return make_function(meter, "cycle", depth(),
                         [self = shared_from_this()](Meter& m, const Arguments& arguments) {
                           return self->cycle(m, arguments);
                         });
  }
  if (name == "changed") {
    return make_function(meter, "changed", depth(),
                         [self = shared_from_this()](Meter& m, const Arguments& arguments) {
                           return self->changed(m, arguments);
                         });
  }
  return counter(name);
}

Value Loop::cycle(Meter& meter, const Arguments& arguments) const {
  if (!arguments.positional.empty()) return arguments.positional[index_ % arguments.positional.size()];
  meter.fail("no items for cycling given");
  return {};
}

Value Loop::changed(Meter& meter, const Arguments& arguments) {
  Value now = make_tuple(meter, arguments.positional);
  if (is_closed_ || equal(meter, now, last_)) return false;
  last_ = std::move(now);
  return true;
}

Value Loop::call(Meter& meter, const Arguments& arguments) {
  if (recurse_ && arguments.positional.size() == 1) return recurse_(arguments.positional[0]);
  meter.fail(recurse_ ? "a recursive loop takes one argument"
                      : "only a loop marked 'recursive' can be called");
  return {};
}

}  // namespace aprx::jinja
