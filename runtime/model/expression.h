// Expressions of model descriptions: parsed once, evaluated over a file's metadata.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "runtime/model/scalar.h"

namespace aprx {

struct Expression {
  enum class Kind {
    kNumber,   // value
    kKey,      // @name: metadata key without the architecture's prefix
    kFileKey,  // $name: metadata key as the file spells it
    kName,     // another expression of `let`
    kAxis,     // #name.index: an axis of a tensor of the file
    kNegate,   // parts[0]; the same for the rest
    kSquareRoot,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kElse,  // a | b | …: the first part whose keys are all present
  };
  static constexpr int64_t kNoIndex = -1;
  static constexpr int64_t kThisLayer = -2;  // [i]

  Kind kind = Kind::kNumber;
  Scalar value = int64_t{0};
  std::string name;
  int64_t index = kNoIndex;  // of a key: the element; of an axis: which
  std::vector<Expression> parts;
  std::string text;  // as the description writes it; of the whole expression only
};

struct Comparison {
  Expression left, right;
  std::string sign;  // == != < <= > >=
  std::string text;
};

// An error says what is unexpected and at which column; the caller adds where the text stands.
[[nodiscard]] Result<Expression> parse_expression(std::string_view text);
[[nodiscard]] Result<Comparison> parse_comparison(std::string_view text);

}  // namespace aprx
