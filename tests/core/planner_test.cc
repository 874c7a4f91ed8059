#include <catch2/catch_test_macros.hpp>
#include <memory>

#include "aprx/backend.hpp"
#include "core/op/operator.h"
#include "core/op/shape.h"
#include "core/route/render.h"
#include "core/route/route.h"

using namespace aprx;

namespace {

const aprx_host kHost = {sizeof(aprx_host),
                         APRX_ABI_MAJOR,
                         APRX_ABI_MINOR,
                         nullptr,
                         "test",
                         [](void*, uint32_t, const char*) {},
                         [](void*, uint32_t tasks, aprx_task_fn body, void* argument) {
                           for (uint32_t i = 0; i < tasks; ++i) body(argument, i, 0);
                         },
                         [](void*) { return 1U; },
                         [](void*) { return 0U; }};

void nothing(const KernelArgs&) {}

// A device of which a test says what it takes.
struct FakeBackend : HostBackend {
  FakeBackend(std::vector<KernelRow> rows, uint64_t free)
      : HostBackend(&kHost), table(std::move(rows)), free_bytes(free) {}
  DeviceFacts device(uint32_t) const override { return {.id = "fake:0", .name = "Fake", .target = "T1"}; }
  std::span<const KernelRow> rows(uint32_t) const override { return table; }
  aprx_memory_info memory(uint32_t) const override {
    return {sizeof(aprx_memory_info), 0, free_bytes, free_bytes};
  }
  std::vector<TargetFacts> targets() const override {
    return {{"T1", true, true, ""}, {"T2", false, false, "absent"}};
  }
  std::vector<KernelRow> table;
  uint64_t free_bytes;
};

KernelRow row(Op op, DType dtype = DType::kUnknown) {
  const Role typed = dtype == DType::kUnknown ? Role::kNone : op == Op::kEmbed ? Role::kTable : Role::kW;
  return {.op = op, .typed = typed, .dtype = dtype, .name = "fake", .run = nothing};
}

std::vector<KernelRow> rows_for(std::initializer_list<DType> linear_types, bool takes_group) {
  std::vector<KernelRow> rows = {row(Op::kEmbed, DType::kF32), row(Op::kGlu), row(Op::kTakeRows),
                                 row(Op::kRmsNorm), row(Op::kAdd)};
  for (const DType dtype : linear_types) rows.push_back(row(Op::kLinear, dtype));
  if (takes_group) rows.push_back(row(Op::kLinearGroup));
  return rows;
}

Device device_of(FakeBackend& backend, std::string name, double speed, uint32_t flags = 0) {
  Device device{&host_backend::kInterface,
                static_cast<HostBackend*>(&backend),
                0,
                name,
                "1.0",
                name + ":0",
                "Fake",
                "T1",
                flags,
                speed,
                0};
  return device;
}

void add(Graph& graph, Node node) {
  REQUIRE(complete_node(graph, node).ok());
  graph.add_node(std::move(node));
}

// embed -> gated_mlp -> logits, with these dtypes of gate and up.
Graph small_model(DType gate, DType up) {
  Graph graph;
  graph.context = 16;
  graph.ids = graph.add_input("ids", kTokensDim);
  graph.positions = graph.add_input("positions", kTokensDim);
  graph.rows = graph.add_input("rows", kRowsDim);
  const auto weight = [&](const char* name, DType dtype, std::vector<int64_t> shape) {
    return graph.add_weight(name, dtype, std::move(shape), APRX_WEIGHT);
  };
  const TensorId table = weight("token_embd.weight", DType::kF32, {10, 32});
  const TensorId norm = graph.add_weight("output_norm.weight", DType::kF32, {32}, APRX_VECTOR);
  add(graph, {Op::kEmbed, "embed", {{Role::kTable, table}}, {}});
  const TensorId x = graph.nodes().back().find(Role::kY);
  add(graph, {Op::kGatedMlp,
              "blk.0",
              {{Role::kX, x},
               {Role::kGate, weight("blk.0.ffn_gate.weight", gate, {64, 32})},
               {Role::kUp, weight("blk.0.ffn_up.weight", up, {64, 32})},
               {Role::kDown, weight("blk.0.ffn_down.weight", DType::kF32, {32, 64})}},
              {}});
  const TensorId y = graph.nodes().back().find(Role::kY);
  add(graph, {Op::kLogits,
              "head",
              {{Role::kX, y}, {Role::kNorm, norm}, {Role::kW, table}},
              {real_attribute(Attr::kEps, 1e-6)}});
  return graph;
}

std::vector<Op> ops_of(const Route& route) {
  std::vector<Op> ops;
  for (const Node& node : route.graph().nodes()) ops.push_back(node.op);
  return ops;
}

constexpr uint64_t kPlenty = 1ULL << 40U;

}  // namespace

TEST_CASE("composites that a device claims stay whole, others are expanded") {
  const Graph graph = small_model(DType::kF32, DType::kF32);
  FakeBackend plain(rows_for({DType::kF32}, false), kPlenty);
  FakeBackend grouping(rows_for({DType::kF32}, true), kPlenty);
  auto expanded = plan(graph, std::vector{device_of(plain, "a", 1e9)}, {}, {});
  REQUIRE(expanded.ok());
  CHECK(ops_of(*expanded) == std::vector{Op::kEmbed, Op::kLinear, Op::kLinear, Op::kGlu, Op::kLinear,
                                         Op::kTakeRows, Op::kRmsNorm, Op::kLinear});
  auto grouped = plan(graph, std::vector{device_of(grouping, "a", 1e9)}, {}, {});
  REQUIRE(grouped.ok());
  CHECK(ops_of(*grouped) == std::vector{Op::kEmbed, Op::kLinearGroup, Op::kGlu, Op::kLinear, Op::kTakeRows,
                                        Op::kRmsNorm, Op::kLinear});
  CHECK(expanded->digest() != grouped->digest());
  CHECK(expanded->layers() == 1);
}

TEST_CASE("auto takes the cheapest capable device and never a yardstick") {
  const Graph graph = small_model(DType::kF32, DType::kF32);
  FakeBackend backend(rows_for({DType::kF32}, false), kPlenty);
  const std::vector devices = {device_of(backend, "slow", 1e9), device_of(backend, "fast", 9e9),
                               device_of(backend, "measure", 1e12, APRX_DEVICE_YARDSTICK)};
  auto route = plan(graph, devices, {}, {});
  REQUIRE(route.ok());
  CHECK(route->parts()[0].device.id == "fast:0");
  CHECK(route->passed_over().empty());
}

TEST_CASE("each distinct refusal is one, whatever the number of tensors") {
  const Graph graph = small_model(DType::kF16, DType::kF16);
  FakeBackend strict(rows_for({DType::kF32, DType::kQ8_0}, false), kPlenty);
  FakeBackend able(rows_for({DType::kF32, DType::kF16}, false), kPlenty);
  const std::vector devices = {device_of(strict, "gpu", 9e9), device_of(able, "cpu", 1e9)};
  auto route = plan(graph, devices, {}, {});
  REQUIRE(route.ok());
  CHECK(route->parts()[0].device.id == "cpu:0");
  REQUIRE(route->passed_over().size() == 1);
  REQUIRE(route->passed_over()[0].refusals.size() == 1);
  const Refusal& refusal = route->passed_over()[0].refusals[0];
  CHECK(refusal.device == "gpu:0");
  CHECK(refusal.reason == APRX_DTYPE_UNSUPPORTED);
  CHECK(refusal.dtype == DType::kF16);
  CHECK(refusal.tensors == std::vector<std::string>{"blk.0.ffn_gate.weight", "blk.0.ffn_up.weight"});
  CHECK(refusal.accepted == std::vector<std::string>{"F32", "Q8_0"});
  const std::string line = backend_line(*route);
  CHECK(line == "Backend: cpu:0 (Fake, T1), 1 of 1 layers [route " + route->digest() +
                    "]\nnotice: gpu:0 not used, cpu:0 runs the model: linear: no kernel for this tensor "
                    "type: blk.0.ffn_gate.weight is F16, "
                    "and 1 more like blk.*.ffn_{gate,up}.weight; gpu:0 takes F32 Q8_0\n");
}

TEST_CASE("a named backend that can't is a refusal and no other backend is tried") {
  const Graph graph = small_model(DType::kF16, DType::kF32);
  FakeBackend strict(rows_for({DType::kF32}, false), kPlenty);
  FakeBackend able(rows_for({DType::kF32, DType::kF16}, false), kPlenty);
  const std::vector devices = {device_of(strict, "gpu", 9e9), device_of(able, "cpu", 1e9)};
  auto route = plan(graph, devices, {}, {.backends = {"gpu"}});
  REQUIRE_FALSE(route.ok());
  CHECK(exit_code(route.error()) == 8);
  CHECK(route.error().found ==
        "gpu:0 can't run this model: linear: no kernel for this tensor type: blk.0.ffn_gate.weight is F16; "
        "gpu:0 takes F32");
  auto fallback = plan(graph, devices, {}, {.backends = {"gpu", "cpu"}});
  REQUIRE(fallback.ok());
  CHECK(fallback->parts()[0].device.id == "cpu:0");
  CHECK(fallback->passed_over().size() == 1);
}

TEST_CASE("a backend without a device is refused with its own reason") {
  const Graph graph = small_model(DType::kF32, DType::kF32);
  const std::vector<UnavailableBackend> unavailable = {
      {"cuda", APRX_DRIVER_MISSING, "no driver is installed"}};
  auto route = plan(graph, {}, unavailable, {.backends = {"cuda"}});
  REQUIRE_FALSE(route.ok());
  CHECK(route.error().found == "cuda can't run this model: no driver (no driver is installed)");
  auto nothing_found = plan(graph, {}, {}, {});
  REQUIRE_FALSE(nothing_found.ok());
  CHECK(nothing_found.error().found == "no usable backend was found");
}

TEST_CASE("memory that doesn't suffice is refused with the sums before anything is allocated") {
  const Graph graph = small_model(DType::kF32, DType::kF32);
  FakeBackend tight(rows_for({DType::kF32}, false), 4096);
  auto route = plan(graph, std::vector{device_of(tight, "cpu", 1e9)}, {}, {.tokens_max = 4});
  REQUIRE_FALSE(route.ok());
  CHECK(exit_code(route.error()) == 8);
  // weights: 10*32 + 32 + 2*64*32 + 32*64 values of 4 bytes
  CHECK(route.error().found.find("weights 25.4 KiB") != std::string::npos);
  CHECK(route.error().found.find("4.0 KiB free") != std::string::npos);
}

TEST_CASE("a target is lowered only to one that is usable") {
  const Graph graph = small_model(DType::kF32, DType::kF32);
  FakeBackend backend(rows_for({DType::kF32}, false), kPlenty);
  const std::vector devices = {device_of(backend, "cpu", 1e9)};
  auto lower = plan(graph, devices, {}, {.target = "t1"});
  REQUIRE(lower.ok());
  CHECK(lower->parts()[0].target == "T1");
  auto absent = plan(graph, devices, {}, {.target = "T2"});
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().found.find("no usable target T2; usable here: T1") != std::string::npos);
}

TEST_CASE("the same plan has the same digest, another context another") {
  Graph graph = small_model(DType::kF32, DType::kF32);
  FakeBackend backend(rows_for({DType::kF32}, false), kPlenty);
  const std::vector devices = {device_of(backend, "cpu", 1e9)};
  const auto digest = [&](uint32_t tokens) {
    return plan(graph, devices, {}, {.tokens_max = tokens})->digest();
  };
  CHECK(digest(8) == digest(8));
  CHECK(digest(8) != digest(64));
  CHECK(digest(8).size() == 8);
}

TEST_CASE("two devices share a graph only where their figures say that it pays") {
  const Graph graph = small_model(DType::kF16, DType::kF32);
  FakeBackend strict(rows_for({DType::kF32}, false), kPlenty);
  FakeBackend able(rows_for({DType::kF32, DType::kF16}, false), kPlenty);
  const auto on = [&](double slow) {
    const std::vector devices = {device_of(strict, "gpu", 1e12), device_of(able, "cpu", slow)};
    return plan(graph, devices, {}, {});
  };
  auto mixed = on(1e6);
  REQUIRE(mixed.ok());
  REQUIRE(mixed->parts().size() == 2);
  CHECK(mixed->parts()[0].operators == 7);
  CHECK(mixed->parts()[1].operators == 1);
  CHECK(mixed->parts()[0].layers == 0);
  CHECK(mixed->layers() == 1);
  CHECK(backend_line(*mixed).starts_with(
      "Backend: gpu:0 (Fake, T1), 7 of 8 operators + cpu:0 (Fake, T1), 1 of 8 operators [route " +
      mixed->digest() + "]\nnotice: gpu:0 doesn't run 1 of 8 operators, another device does: linear: "));

  CHECK(on(1e11)->parts().size() == 1);
  CHECK(on(1e11)->parts()[0].device.id == "cpu:0");
  // Without a figure nothing is known to pay.
  CHECK(on(0)->parts().size() == 1);
}

TEST_CASE("stages hold nodes in a row, and bring what another device has computed") {
  const Graph graph = small_model(DType::kF16, DType::kF32);
  FakeBackend strict(rows_for({DType::kF32}, false), kPlenty);
  FakeBackend able(rows_for({DType::kF32, DType::kF16}, false), kPlenty);
  const std::vector devices = {device_of(strict, "gpu", 1e12), device_of(able, "cpu", 1e6)};
  auto route = plan(graph, devices, {}, {});
  REQUIRE(route.ok());
  // embed | gate | up, glu, down, take_rows, rms_norm, linear
  REQUIRE(route->stages().size() == 3);
  CHECK(route->stages()[0].part == 0);
  CHECK(route->stages()[0].node_count == 1);
  CHECK(route->stages()[0].transfers.empty());
  const TensorId x = route->graph().nodes()[0].find(Role::kY);
  REQUIRE(route->stages()[1].transfers.size() == 1);
  CHECK(route->stages()[1].transfers[0].tensor == x);
  CHECK(route->stages()[1].transfers[0].from == 0);
  // The gate's output comes back; x is where it was.
  REQUIRE(route->stages()[2].transfers.size() == 1);
  CHECK(route->stages()[2].transfers[0].tensor ==
        root_of(route->graph(), route->graph().nodes()[1].find(Role::kY)));
  CHECK(route->stages()[2].transfers[0].from == 1);
  CHECK(route->stages()[2].node_count == 6);
}

TEST_CASE("memory is counted for each device by the nodes that it runs") {
  const Graph graph = small_model(DType::kF16, DType::kF32);
  FakeBackend strict(rows_for({DType::kF32}, false), kPlenty);
  FakeBackend able(rows_for({DType::kF32, DType::kF16}, false), kPlenty);
  const std::vector devices = {device_of(strict, "gpu", 1e12), device_of(able, "cpu", 1e6)};
  auto route = plan(graph, devices, {}, {});
  REQUIRE(route.ok());
  CHECK(route->parts()[1].need.weights == 64 * 32 * 2);
  CHECK(route->parts()[0].need.weights == 4 * (10 * 32 + 32 + 64 * 32 + 32 * 64));
  CHECK(route->memory_need().weights == route->parts()[0].need.weights + route->parts()[1].need.weights);
}

TEST_CASE("a recipe is advised only if every type that it may hold is taken") {
  const Graph graph = small_model(DType::kF16, DType::kF16);
  FakeBackend strict(rows_for({DType::kF32, DType::kQ8_0, DType::kQ4_0}, false), kPlenty);
  FakeBackend able(rows_for({DType::kF32, DType::kF16}, false), kPlenty);
  // The table of tokens is read by `embed`, for which these fakes take F32 alone.
  const std::vector<Recipe> recipes = {{"Q8_0", {DType::kQ8_0}, {DType::kF16}},
                                       {"F32", {DType::kF32}, {DType::kF32}}};
  const std::vector devices = {device_of(strict, "gpu", 9e9), device_of(able, "cpu", 1e9)};
  auto route = plan(graph, devices, {}, {}, recipes);
  REQUIRE(route.ok());
  REQUIRE(route->passed_over().size() == 1);
  CHECK(route->passed_over()[0].remedies ==
        std::vector<std::string>{"a F32 build of this model runs on gpu:0"});
}
