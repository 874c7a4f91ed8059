// Small steps that shape rules and decompositions share.
#pragma once

#include <string>

#include "core/op/operator.h"

namespace aprx::shape {

// The shape of an operand that must be there.
[[nodiscard]] const Tensor& of(const Graph& graph, const Node& node, Role role, size_t nth = 0);

// Fails unless the operand, if present, has this shape; the error names the tensor.
[[nodiscard]] Result<void> expect(const Graph& graph, const Node& node, Role role,
                                  std::vector<int64_t> shape);

// Adds an output of this role, an activation named LABEL.OP[.ROLE].
TensorId output(Graph& graph, Node& node, Role role, std::vector<int64_t> shape);

// Adds a state named LABEL.OP.ROLE, unless the node already has one.
void state(Graph& graph, Node& node, Role role, DType dtype, std::vector<int64_t> shape);

// y has the shape of a; b has it too, or that of a's trailing axes.
[[nodiscard]] Result<void> broadcast(Graph& graph, Node& node);

// y has the shape of x.
[[nodiscard]] Result<void> same_as_x(Graph& graph, Node& node);

}  // namespace aprx::shape

namespace aprx {

// Appends primitives of a decomposition, one call each, and returns what they compute.
class Expansion {
 public:
  Expansion(Graph& graph, const Node& composite, std::vector<Node>& out)
      : graph_(graph), composite_(composite), out_(out) {}

  // An operand of the composite; kNoTensor if it is absent.
  [[nodiscard]] TensorId operand(Role role, size_t nth = 0) const { return composite_.find(role, nth); }
  [[nodiscard]] const Node& composite() const { return composite_; }
  [[nodiscard]] Graph& graph() { return graph_; }
  [[nodiscard]] std::vector<int64_t> shape_of(TensorId id) const { return graph_.tensor(id).shape; }

  // Starts a node; operands whose tensor is kNoTensor are left out.
  Node start(Op op, std::vector<Operand> operands, std::vector<aprx_attribute> attributes = {}) const;
  // Completes and appends it. Its first output is made to be `into`, if given. Returns that output.
  TensorId finish(Node node, TensorId into = kNoTensor);

  // One linear for each weight, grouped if there are several. Weights must share x's width.
  std::vector<TensorId> linears(TensorId x, const std::vector<TensorId>& weights);

 private:
  Graph& graph_;
  const Node& composite_;
  std::vector<Node>& out_;
};

// Attributes by value, for decompositions.
[[nodiscard]] aprx_attribute integer_attribute(Attr id, int64_t value);
[[nodiscard]] aprx_attribute real_attribute(Attr id, double value);
[[nodiscard]] aprx_attribute word_attribute(Attr id, Word value);

}  // namespace aprx
