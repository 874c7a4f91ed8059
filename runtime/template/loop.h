// `loop` inside of a for block.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/template/object.h"

namespace aprx::jinja {

class Loop : public Object, public std::enable_shared_from_this<Loop> {
 public:
  // Whether an item passes the `if` of the for block. Asked only when the item is needed, since the body may
  // change the answer.
  using Filter = std::function<bool(const Value& item)>;
  // Renders the body again for other items; empty unless the block is marked `recursive`.
  using Recurse = std::function<Value(const Value& items)>;

  Loop(Values source, Filter filter, Recurse recurse, int level);

  // Whether there is a passing item `index`.
  bool has(size_t index);
  [[nodiscard]] const Value& item(size_t index) const { return items_[index]; }
  void move_to(size_t index) { index_ = index; }
  // Lets go of all values. A loop can outlive its block in a namespace, and must not hold itself.
  void close();

  [[nodiscard]] std::string type_name() const override { return "LoopContext"; }
  [[nodiscard]] bool is_callable() const override { return true; }
  std::optional<Value> attribute(Meter& meter, std::string_view name) override;
  Value call(Meter& meter, const Arguments& arguments) override;

 private:
  int64_t length();
  std::optional<Value> counter(std::string_view name);
  Value cycle(Meter& meter, const Arguments& arguments) const;
  Value changed(Meter& meter, const Arguments& arguments);

  Values source_;
  size_t next_source_ = 0;
  Filter filter_;
  Recurse recurse_;
  Values items_;  // that passed so far
  size_t index_ = 0;
  int level_;
  bool is_closed_ = false;
  Value last_;  // arguments of the last changed(), undefined before
};

}  // namespace aprx::jinja
