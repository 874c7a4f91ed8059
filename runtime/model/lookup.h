// What the names of a description stand for in one file: values of expressions, tensors of roles.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/model/description.h"
#include "runtime/model/file_facts.h"

namespace aprx {

using LayerIndex = std::optional<int64_t>;  // nothing outside of layers

// Something of the file that a value was computed from.
struct Source {
  std::string key;           // as the file spells it
  std::string element = {};  // of a list: "[2]"
  std::string value;         // empty: the key is absent
  std::string type_name;
  bool is_real = false;

  [[nodiscard]] std::string text() const {
    return value.empty() ? key + " is absent" : key + element + "=" + value;
  }
  friend bool operator==(const Source&, const Source&) = default;
};

struct Evaluated {
  std::optional<Scalar> value;  // nothing where a key is absent; it is the last source
  std::vector<Source> sources;
};

// "qwen35.ssm.inner_size=48, qwen35.ssm.time_step_rank=2"
[[nodiscard]] std::string sources_text(const std::vector<Source>& sources);

// Borrows description and file. Errors name the file's keys.
class Lookup {
 public:
  Lookup(const Description& description, const Scheme& scheme, const FileFacts& file,
         std::string architecture)
      : description_(description), scheme_(scheme), file_(file), architecture_(std::move(architecture)) {}

  [[nodiscard]] const Description& description() const { return description_; }
  [[nodiscard]] const Scheme& scheme() const { return scheme_; }
  [[nodiscard]] const FileFacts& file() const { return file_; }

  // An absent key is a value here; the functions below refuse it.
  [[nodiscard]] Result<Evaluated> evaluate(const Expression& expression, LayerIndex layer) const;
  [[nodiscard]] Result<Evaluated> scalar(const Expression& expression, LayerIndex layer) const;
  [[nodiscard]] Result<Evaluated> number(const Expression& expression,
                                         LayerIndex layer) const;  // value is int64 or double
  [[nodiscard]] Result<Evaluated> integer(const Expression& expression,
                                          LayerIndex layer) const;  // value is int64

  // Index of the role's tensor in the file, if it is there. Roles of layers need a layer.
  [[nodiscard]] std::optional<size_t> tensor(const std::string& role, LayerIndex layer) const;
  // Canonical keys that an expression may read with [i].
  [[nodiscard]] std::set<std::string> layer_keys(const Expression& expression) const;

  // The first of the names that the role has in such files.
  [[nodiscard]] std::string name_of(const std::string& role, LayerIndex layer) const;

  // An error about values: `found` is completed by where they come from.
  [[nodiscard]] Error error(const std::vector<Source>& sources, std::string found,
                            std::string expected) const;

 private:
  [[nodiscard]] Result<Evaluated> key(const Expression& expression, LayerIndex layer) const;
  [[nodiscard]] Result<Evaluated> file_key(const std::string& name, const Expression& expression,
                                           LayerIndex layer) const;
  [[nodiscard]] Result<Evaluated> axis(const Expression& expression, LayerIndex layer) const;
  [[nodiscard]] Result<Evaluated> alternatives(const Expression& expression, LayerIndex layer) const;
  [[nodiscard]] Result<Evaluated> arithmetic(const Expression& expression, LayerIndex layer) const;
  [[nodiscard]] Error type_error(const Evaluated& evaluated, const std::string& expected) const;

  const Description& description_;
  const Scheme& scheme_;
  const FileFacts& file_;
  std::string architecture_;
};

}  // namespace aprx
