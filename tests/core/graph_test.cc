#include "core/graph/graph.h"

#include <catch2/catch_test_macros.hpp>

using namespace aprx;

TEST_CASE("views of views look into the first owner of the memory") {
  Graph graph;
  const TensorId x = graph.add_activation("x", {kTokensDim, 24});
  const TensorId heads = graph.add_view(x, {kTokensDim, 2, 4}, {24, 8, 1}, 8);
  const TensorId half = graph.add_view(heads, {kTokensDim, 2, 2}, {24, 8, 1}, 2);
  CHECK(root_of(graph, half) == x);
  CHECK(graph.tensor(half).offset == 10);
  CHECK(graph.tensor(heads).name == "x");
}

TEST_CASE("each name names one activation") {
  Graph graph;
  const TensorId first = graph.add_activation("blk.0.rms_norm.y", {kTokensDim, 4});
  const TensorId second = graph.add_activation("blk.0.rms_norm.y", {kTokensDim, 4});
  const TensorId other = graph.add_activation("blk.1.rms_norm.y", {kTokensDim, 4});
  CHECK(graph.tensor(first).name == "blk.0.rms_norm.y");
  CHECK(graph.tensor(second).name == "blk.0.rms_norm.y.2");
  CHECK(graph.tensor(other).name == "blk.1.rms_norm.y");
}

TEST_CASE("sizes follow the dtype's blocks and the counts of the run") {
  Graph graph;
  const TensorId w = graph.add_weight("w", DType::kQ4_K, {3, 512}, APRX_WEIGHT);
  const TensorId x = graph.add_activation("x", {kTokensDim, 10});
  const TensorId ids = graph.add_input("ids", kTokensDim);
  const TensorId y = graph.add_activation("y", {kRowsDim, 4});
  CHECK(tensor_bytes(graph.tensor(w), 0, 0) == 3 * 2 * 144);
  CHECK(tensor_bytes(graph.tensor(x), 7, 2) == 7 * 10 * 4);
  CHECK(tensor_bytes(graph.tensor(ids), 7, 2) == 7 * 4);
  CHECK(tensor_bytes(graph.tensor(y), 7, 2) == 2 * 4 * 4);
}

TEST_CASE("shapes print with the names of their open dimensions") {
  CHECK(shape_text(std::vector<int64_t>{kTokensDim, 4, 64}) == "[tokens, 4, 64]");
  CHECK(shape_text(std::vector<int64_t>{kRowsDim}) == "[rows]");
}
