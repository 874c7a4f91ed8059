#include "core/op/operator.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/op/shape.h"

using namespace aprx;

TEST_CASE("the catalogue holds every operator once, under its own number") {
  const auto number = GENERATE(range(1U, static_cast<uint32_t>(Op::kCount)));
  const Operator& op = operator_of(static_cast<Op>(number));
  CHECK(op.op == static_cast<Op>(number));
  CHECK(op.complete != nullptr);
  CHECK((op.is_composite || op.expand == nullptr));
}

namespace {

Graph empty_graph() {
  Graph graph;
  graph.context = 32;
  graph.kv_dtype = DType::kF16;
  graph.ids = graph.add_input("ids", kTokensDim);
  graph.positions = graph.add_input("positions", kTokensDim);
  graph.rows = graph.add_input("rows", kRowsDim);
  return graph;
}

std::vector<Op> expanded_ops(Graph& graph, const Node& node) {
  std::vector<Node> members;
  operator_of(node.op).expand(graph, node, members);
  std::vector<Op> ops;
  for (const Node& member : members) ops.push_back(member.op);
  return ops;
}

}  // namespace

TEST_CASE("gated attention reads query and gate interleaved per head") {
  Graph graph = empty_graph();
  const auto w = [&](std::vector<int64_t> shape) {
    return graph.add_weight("w", DType::kF32, std::move(shape), APRX_WEIGHT);
  };
  const TensorId x = graph.add_activation("x", {kTokensDim, 16});
  Node node{Op::kGatedAttention,
            "blk.3",
            {{Role::kX, x},
             {Role::kQ, w({2 * 2 * 8, 16})},
             {Role::kK, w({8, 16})},
             {Role::kV, w({8, 16})},
             {Role::kO, w({16, 16})}},
            {integer_attribute(Attr::kHeads, 2), integer_attribute(Attr::kKvHeads, 1),
             integer_attribute(Attr::kHeadDim, 8), real_attribute(Attr::kScale, 0.25),
             word_attribute(Attr::kStyle, Word::kNeox), integer_attribute(Attr::kNRot, 4),
             real_attribute(Attr::kBase, 1e4)}};
  REQUIRE(complete_node(graph, node).ok());
  CHECK(graph.tensor(node.find(Role::kKCache)).shape == std::vector<int64_t>{32, 1, 8});
  CHECK(graph.tensor(node.find(Role::kKCache)).dtype == DType::kF16);
  std::vector<Node> members;
  operator_of(node.op).expand(graph, node, members);
  const Tensor& rope_x = graph.tensor(members[1].find(Role::kX));
  CHECK(rope_x.shape == std::vector<int64_t>{kTokensDim, 2, 8});
  CHECK(rope_x.stride == std::vector<int64_t>{32, 16, 1});
  CHECK(rope_x.offset == 0);
  const auto sigmoid = std::ranges::find(members, Op::kUnary, &Node::op);
  REQUIRE(sigmoid != members.end());
  CHECK(graph.tensor(sigmoid->find(Role::kX)).offset == 8);
  CHECK(members.back().find(Role::kY) == node.find(Role::kY));
}

TEST_CASE("the delta net's views cut q, k and v out of one convolution and its states are its own") {
  Graph graph = empty_graph();
  const auto w = [&](std::vector<int64_t> shape) {
    return graph.add_weight("w", DType::kF32, std::move(shape), APRX_WEIGHT);
  };
  const auto v = [&](std::vector<int64_t> shape) {
    return graph.add_weight("v", DType::kF32, std::move(shape), APRX_VECTOR);
  };
  const TensorId x = graph.add_activation("x", {kTokensDim, 16});
  const int64_t channels = 2 * 2 * 4 + 4 * 6;
  Node node{Op::kGatedDeltaNet,
            "blk.0",
            {{Role::kX, x},
             {Role::kQkv, w({channels, 16})},
             {Role::kZ, w({24, 16})},
             {Role::kA, w({4, 16})},
             {Role::kB, w({4, 16})},
             {Role::kConv, v({channels, 4})},
             {Role::kNegA, v({4})},
             {Role::kDtBias, v({4})},
             {Role::kNorm, v({6})},
             {Role::kO, w({16, 24})}},
            {integer_attribute(Attr::kKHeads, 2), integer_attribute(Attr::kVHeads, 4),
             integer_attribute(Attr::kKDim, 4), integer_attribute(Attr::kVDim, 6),
             real_attribute(Attr::kEps, 1e-6), word_attribute(Attr::kHeadMap, Word::kTiled)}};
  REQUIRE(complete_node(graph, node).ok());
  CHECK(graph.tensor(node.find(Role::kConvState)).shape == std::vector<int64_t>{channels, 3});
  CHECK(graph.tensor(node.find(Role::kDeltaState)).shape == std::vector<int64_t>{4, 6, 4});
  CHECK(expanded_ops(graph, node) == std::vector{Op::kLinearGroup, Op::kCausalConv1d, Op::kL2Norm,
                                                 Op::kL2Norm, Op::kDeltaGate, Op::kGatedDeltaRule,
                                                 Op::kGatedRmsNorm, Op::kLinear});
  std::vector<Node> members;
  operator_of(node.op).expand(graph, node, members);
  const Tensor& value = graph.tensor(members[5].find(Role::kV));
  CHECK(value.offset == 16);
  CHECK(value.stride == std::vector<int64_t>{channels, 6, 1});
  CHECK(members[5].find(Role::kDeltaState) == node.find(Role::kDeltaState));
  CHECK(members[5].real(Attr::kScale) == 0.5);
}

TEST_CASE("a weight of the wrong shape is refused by its name") {
  Graph graph = empty_graph();
  const TensorId x = graph.add_activation("x", {kTokensDim, 16});
  const TensorId w = graph.add_weight("blk.0.ffn_up.weight", DType::kF32, {8, 15}, APRX_WEIGHT);
  Node node{Op::kLinear, "blk.0", {{Role::kX, x}, {Role::kW, w}}, {}};
  const auto done = complete_node(graph, node);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().text() == "blk.0.ffn_up.weight: shape [8, 15] as w of linear, expected shape [8, 16]");
}

TEST_CASE("operands stand in the catalogue's order, however they were listed") {
  Graph graph = empty_graph();
  const TensorId table = graph.add_weight("token_embd.weight", DType::kQ8_0, {10, 32}, APRX_WEIGHT);
  Node node{Op::kEmbed, "embd", {{Role::kTable, table}}, {}};
  REQUIRE(complete_node(graph, node).ok());
  std::vector<Role> roles;
  for (const Operand& operand : node.operands) roles.push_back(operand.role);
  CHECK(roles == std::vector{Role::kIds, Role::kTable, Role::kY});

  const TensorId x = graph.add_activation("x", {kTokensDim, 16});
  const TensorId a = graph.add_weight("a", DType::kF32, {8, 16}, APRX_WEIGHT);
  const TensorId b = graph.add_weight("b", DType::kF32, {4, 16}, APRX_WEIGHT);
  Node group{Op::kLinearGroup, "blk.0", {{Role::kW, b}, {Role::kX, x}, {Role::kW, a}}, {}};
  REQUIRE(complete_node(graph, group).ok());
  CHECK(group.operands[0].role == Role::kX);
  CHECK(group.operands[1].tensor == b);
  CHECK(group.operands[2].tensor == a);
  CHECK(graph.tensor(group.find(Role::kY, 0)).shape == std::vector<int64_t>{kTokensDim, 4});
}
