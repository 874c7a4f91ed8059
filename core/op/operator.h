// The operator catalogue: for each operator its operands, attributes, shape rule and, for a
// composite, its decomposition. One file an operator; docs/operators.md says what each computes.
#pragma once

#include <optional>
#include <span>

#include "aprx/op.hpp"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace aprx {

enum class OperandKind {
  kActivation,
  kWeight,  // matrix or table of the file
  kVector,  // norm, bias, decay, taps of the file; kernels get it as F32
  kInput,   // ids, positions or rows of the graph: bound by name, never written in a description
  kState,   // made by the operator's shape rule
  kOutput,  // made by the operator's shape rule
};

struct OperandSpec {
  Role role;
  OperandKind kind;
  bool is_optional = false;
  bool is_repeated = false;
};

struct AttributeSpec {
  Attr id;
  aprx_attribute_type type;
  std::optional<double> fallback;    // value when a description doesn't give it; a word by its number
  std::span<const Word> words = {};  // of a word: those that are allowed
};

struct Operator {
  Op op;
  bool is_composite;
  std::span<const OperandSpec> operands;
  std::span<const AttributeSpec> attributes;
  // Checks shapes and adds states and outputs to node and graph. Errors name the tensor.
  Result<void> (*complete)(Graph& graph, Node& node);
  // Appends the decomposition of `node`; nullptr for primitives, and for composites without one.
  void (*expand)(Graph& graph, const Node& node, std::vector<Node>& out);
};

// The catalogue's entry. Precondition: op is a value of Op other than kNone.
[[nodiscard]] const Operator& operator_of(Op op);

// Completes `node` (its operands of kind activation, weight and vector are given; inputs, states
// and outputs are not): fills default attributes, binds the graph's inputs, checks, infers outputs.
Result<void> complete_node(Graph& graph, Node& node);

}  // namespace aprx
