#include "core/graph/memory_plan.h"

#include <catch2/catch_test_macros.hpp>

#include "core/op/operator.h"
#include "core/op/shape.h"

using namespace aprx;

namespace {

TensorId scaled(Graph& graph, TensorId x) {
  Node node{Op::kScale, "blk.0", {{Role::kX, x}}, {real_attribute(Attr::kFactor, 2.0)}};
  REQUIRE(complete_node(graph, node).ok());
  const TensorId y = node.find(Role::kY);
  graph.add_node(std::move(node));
  return y;
}

// rows -> a chain of `length` scales over [tokens, 32].
Graph chain(int length) {
  Graph graph;
  graph.ids = graph.add_input("ids", kTokensDim);
  graph.positions = graph.add_input("positions", kTokensDim);
  graph.rows = graph.add_input("rows", kRowsDim);
  TensorId x = graph.add_activation("x", {kTokensDim, 32});
  for (int i = 0; i < length; ++i) x = scaled(graph, x);
  graph.logits = x;
  return graph;
}

}  // namespace

TEST_CASE("a chain of any length needs two buffers, the output and the inputs") {
  const uint64_t buffer = 8 * 32 * 4;
  const Graph graph = chain(20);
  const MemoryPlan plan = plan_memory(graph, 8, 1);
  CHECK(plan.size == 3 * buffer + 3 * kArenaAlignment);
}

TEST_CASE("an input and an output of one node never share memory, and views follow their base") {
  Graph graph = chain(6);
  const TensorId view = graph.add_view(graph.nodes()[2].find(Role::kX), {kTokensDim, 4}, {32, 1}, 4);
  const MemoryPlan plan = plan_memory(graph, 8, 1);
  for (const Node& node : graph.nodes()) {
    CHECK(plan.offset_of(graph, node.find(Role::kX)) != plan.offset_of(graph, node.find(Role::kY)));
  }
  CHECK(plan.offset_of(graph, view) == plan.offset_of(graph, graph.nodes()[2].find(Role::kX)) + 16);
}

TEST_CASE("offsets are aligned and the logits outlive every other tensor") {
  const Graph graph = chain(6);
  const MemoryPlan plan = plan_memory(graph, 3, 1);
  for (const auto& [id, offset] : plan.offsets) CHECK(offset % kArenaAlignment == 0);
  const uint64_t logits = plan.offset_of(graph, graph.logits);
  for (const auto& [id, offset] : plan.offsets) {
    if (id != graph.logits)
      CHECK((offset + tensor_bytes(graph.tensor(id), 3, 1) <= logits || offset >= logits + 3 * 32 * 4));
  }
}
