// Result<T>: a value or an Error. Expected failures travel as values; exceptions are for bugs and
// exhausted memory. Must be looked at: it is [[nodiscard]] and converts to neither side silently.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "core/base/error.h"

namespace aprx {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition: ok().
  [[nodiscard]] T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Precondition: !ok().
  [[nodiscard]] Error& error() & {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] const Error& error() const& {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] Error& error() {
    assert(!ok());
    return *error_;
  }
  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace aprx
