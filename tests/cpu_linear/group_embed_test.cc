// `linear_group`, `embed`, and what the rows refuse.
#include <string>
#include <vector>

#include "aprx/backend.hpp"
#include "catch2/catch_test_macros.hpp"
#include "tests/cpu_linear/fake_host.h"
#include "tests/cpu_linear/matrices.h"
#include "tests/cpu_linear/node.h"
#include "tests/cpu_linear/targets.h"

namespace aprx::test {
namespace {

struct Weight {
  DType dtype;
  int64_t rows;
  std::vector<uint8_t> bytes;
};

constexpr int64_t kK = 512;

std::vector<Weight> mixed_weights() {
  std::mt19937 random(kSeed);
  std::vector<Weight> weights;
  int64_t rows = 1;
  for (const DType dtype :
       {DType::kQ4_K, DType::kQ6_K, DType::kF32, DType::kQ8_0, DType::kBF16, DType::kIQ4_XS}) {
    weights.push_back({dtype, rows, random_weights(dtype, rows, kK, random)});
    rows = rows * 2 + 5;
  }
  return weights;
}

Node& add_x(Node& node, const std::vector<float>& x, int64_t tokens) {
  return node.operand(Role::kX, tensor_of(DType::kF32, APRX_ACTIVATION, {tokens, kK}), x.data());
}

std::string refusal(const Node& node) {
  aprx_verdict verdict{};
  const KernelRow* row = node.probe(verdict);
  if (row != nullptr) return "accepted";
  return std::to_string(verdict.reason) + " " + std::string(role_name(static_cast<Role>(verdict.role))) +
         " " + verdict.detail;
}

Node linear_node(const aprx_tensor& x, const aprx_tensor& w, const aprx_tensor& y) {
  Node node(Op::kLinear);
  node.operand(Role::kX, x, nullptr).operand(Role::kW, w, nullptr).output(Role::kY, y, nullptr);
  return node;
}

}  // namespace

TEST_CASE("a group gives what its members give alone") {
  const FakeHost three(3);
  const std::vector<Weight> weights = mixed_weights();
  for (const int64_t tokens : {0, 1, 3, 9}) {
    std::mt19937 random(kSeed + 1);
    const std::vector<float> x = gaussian(static_cast<size_t>(tokens * kK), random);
    on_every_target([&] {
      Node group(Op::kLinearGroup);
      add_x(group, x, tokens);
      for (const Weight& w : weights) {
        group.operand(Role::kW, tensor_of(w.dtype, APRX_WEIGHT, {w.rows, kK}), w.bytes.data());
      }
      std::vector<std::vector<float>> results;
      results.reserve(weights.size());
      for (const Weight& w : weights) {
        std::vector<float>& y = results.emplace_back(static_cast<size_t>(tokens * w.rows));
        group.output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {tokens, w.rows}), y.data());
      }
      group.run(three.parallel());
      for (size_t i = 0; i < weights.size(); ++i) {
        std::vector<float> alone(results[i].size());
        Node single(Op::kLinear);
        add_x(single, x, tokens)
            .operand(Role::kW, tensor_of(weights[i].dtype, APRX_WEIGHT, {weights[i].rows, kK}),
                     weights[i].bytes.data())
            .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {tokens, weights[i].rows}),
                    alone.data())
            .run({});
        INFO(dtype_name(weights[i].dtype) << " T=" << tokens);
        CHECK(results[i] == alone);
      }
    });
  }
}

TEST_CASE("embed gives decoded rows times the scale") {
  const FakeHost three(3);
  for (const codec::Codec& codec : codec::kCodecs) {
    std::mt19937 random(kSeed);
    const std::vector<uint8_t> table = random_weights(codec.dtype, 9, 256, random);
    const std::vector<float> values = decoded(codec.dtype, table);
    const std::vector<int32_t> ids = {8, 0, 3, 3, 7, 1, 2, 5, 4, 6, 8, 8, 0, 1, 2, 3, 4, 5, 6, 7};
    for (const float scale : {1.0F, 11.3125F}) {
      std::vector<float> y(ids.size() * 256);
      Node(Op::kEmbed)
          .operand(Role::kIds, tensor_of(DType::kI32, APRX_INPUT, {20}), ids.data())
          .operand(Role::kTable, tensor_of(codec.dtype, APRX_WEIGHT, {9, 256}), table.data())
          .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {20, 256}), y.data())
          .real(Attr::kScale, double{scale})
          .run(three.parallel());
      int wrong = 0;
      for (size_t i = 0; i < y.size(); ++i) {
        wrong += y[i] != values[static_cast<size_t>(ids[i / 256]) * 256 + i % 256] * scale;
      }
      INFO(dtype_name(codec.dtype) << " scale " << scale);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("embed refuses an id outside the table") {
  const std::vector<float> table(4 * 8);
  std::vector<float> y(2 * 8);
  for (const int32_t bad : {-1, 4}) {
    const std::vector<int32_t> ids = {0, bad};
    Node node(Op::kEmbed);
    node.operand(Role::kIds, tensor_of(DType::kI32, APRX_INPUT, {2}), ids.data())
        .operand(Role::kTable, tensor_of(DType::kF32, APRX_WEIGHT, {4, 8}), table.data())
        .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {2, 8}), y.data())
        .real(Attr::kScale, 1.0);
    try {
      node.run({});
      FAIL("id " << bad << " was taken");
    } catch (const BackendError& error) {
      CHECK(error.status == APRX_BAD_CALL);
      CHECK(error.found == "token id " + std::to_string(bad) + " is outside the table of 4 rows");
    }
  }
}

TEST_CASE("refusals name the operand and the fact") {
  const auto x = tensor_of(DType::kF32, APRX_ACTIVATION, {APRX_DIM_TOKENS, 100}, 100);
  const auto y = tensor_of(DType::kF32, APRX_ACTIVATION, {APRX_DIM_TOKENS, 8}, 8);
  CHECK(refusal(linear_node(x, tensor_of(DType::kF32, APRX_WEIGHT, {8, 100}), y)) == "accepted");
  CHECK(refusal(linear_node(x, tensor_of(DType::kQ4_K, APRX_WEIGHT, {8, 100}), y)) ==
        "3 w K=100 is not a multiple of 256");
  CHECK(refusal(linear_node(tensor_of(DType::kF16, APRX_ACTIVATION, {4, 100}),
                            tensor_of(DType::kF32, APRX_WEIGHT, {8, 100}), y)) ==
        "2 x activations are F16, must be F32");
  CHECK(refusal(linear_node(x, tensor_of(DType::kF32, APRX_WEIGHT, {8, 100}, 128), y)) ==
        "4 w rows don't follow each other without gaps");
  CHECK(refusal(linear_node(x, tensor_of(DType::kF32, APRX_WEIGHT, {2, 4, 100}), y)) ==
        "3 w rank 3, must be 2");
  CHECK(refusal(linear_node(x, tensor_of(DType::kQ8_K, APRX_WEIGHT, {8, 256}), y)) == "2 w ");
  CHECK(refusal(linear_node(x, tensor_of(DType::kF32, APRX_WEIGHT, {7, 100}), y)) ==
        "3 w 7 x 100 for x of 100 and y of 8");

  auto gaps = tensor_of(DType::kF32, APRX_ACTIVATION, {4, 2, 50});
  gaps.stride[1] = 64;
  CHECK(refusal(linear_node(gaps, tensor_of(DType::kF32, APRX_WEIGHT, {8, 100}), y)) == "4 x a row has gaps");

  Node group(Op::kLinearGroup);
  group.operand(Role::kX, tensor_of(DType::kF32, APRX_ACTIVATION, {4, 256}), nullptr)
      .operand(Role::kW, tensor_of(DType::kF32, APRX_WEIGHT, {8, 256}), nullptr)
      .operand(Role::kW, tensor_of(DType::kQ8_K, APRX_WEIGHT, {8, 256}), nullptr)
      .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {4, 8}), nullptr)
      .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {4, 8}), nullptr);
  CHECK(refusal(group) == "2 w weight 2 of the group is Q8_K");
}

TEST_CASE("every dtype with a decoder has a row of linear and of embed") {
  for (const codec::Codec& codec : codec::kCodecs) {
    const int64_t k = 256;
    CHECK(refusal(linear_node(tensor_of(DType::kF32, APRX_ACTIVATION, {4, k}),
                              tensor_of(codec.dtype, APRX_WEIGHT, {8, k}),
                              tensor_of(DType::kF32, APRX_ACTIVATION, {4, 8}))) == "accepted");
    Node embed(Op::kEmbed);
    embed.operand(Role::kIds, tensor_of(DType::kI32, APRX_INPUT, {4}), nullptr)
        .operand(Role::kTable, tensor_of(codec.dtype, APRX_WEIGHT, {8, k}), nullptr)
        .output(Role::kY, tensor_of(DType::kF32, APRX_ACTIVATION, {4, k}), nullptr);
    CHECK(refusal(embed) == "accepted");
  }
}

}  // namespace aprx::test
