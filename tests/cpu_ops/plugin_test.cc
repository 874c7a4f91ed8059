// The CPU backend as the host meets it: a shared library that is opened, asked and run through the C ABI.
#include <dlfcn.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "aprx/abi.h"
#include "aprx/op.hpp"

namespace {

using aprx::Attr;
using aprx::Op;
using aprx::Role;

constexpr aprx_host kHost = {sizeof(aprx_host),
                             APRX_ABI_MAJOR,
                             APRX_ABI_MINOR,
                             nullptr,
                             "test",
                             [](void*, uint32_t, const char*) {},
                             [](void*, uint32_t tasks, aprx_task_fn body, void* argument) {
                               for (uint32_t task = 0; task < tasks; ++task) body(argument, task, 0);
                             },
                             [](void*) { return 1U; },
                             [](void*) { return 0U; }};

// The opened plugin; closed in the right order.
class Plugin {
 public:
  Plugin() {
    library_ = dlopen(APRX_BINARY_DIR "/lib/aprx/plugins/aprx_backend_cpu.so", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) FAIL(dlerror());  // NOLINT(concurrency-mt-unsafe)
    plugin_ = static_cast<const aprx_plugin*>(dlsym(library_, APRX_PLUGIN_SYMBOL));
    REQUIRE(plugin_ != nullptr);
    const void* table = nullptr;
    aprx_error error{};
    REQUIRE(plugin_->open(&kHost, &self_, &table, &error) == APRX_OK);
    backend_ = static_cast<const aprx_backend*>(table);
  }
  ~Plugin() {
    plugin_->close(self_);
    dlclose(library_);
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] const aprx_plugin& facts() const { return *plugin_; }
  [[nodiscard]] void* self() const { return self_; }
  const aprx_backend* operator->() const { return backend_; }

  [[nodiscard]] std::vector<aprx_target_info> targets() const {
    std::vector<aprx_target_info> targets(backend_->target_count(self_));
    for (uint32_t i = 0; i < targets.size(); ++i) {
      targets[i].struct_size = sizeof(aprx_target_info);
      REQUIRE(backend_->target_describe(self_, i, &targets[i]) == APRX_OK);
    }
    return targets;
  }

 private:
  void* library_ = nullptr;
  const aprx_plugin* plugin_ = nullptr;
  void* self_ = nullptr;
  const aprx_backend* backend_ = nullptr;
};

aprx_tensor tensor_of(uint32_t kind, const std::vector<int64_t>& shape) {
  aprx_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.dtype = APRX_F32;
  tensor.kind = kind;
  tensor.rank = static_cast<uint32_t>(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    tensor.shape[axis] = shape[axis];
    tensor.stride[axis] = stride;
    stride *= shape[axis];
  }
  return tensor;
}

aprx_operand operand(Role role, uint32_t tensor, bool is_output = false) {
  return {static_cast<uint32_t>(role), tensor, is_output ? 1U : 0U, 0};
}

aprx_node node_of(Op op, const std::vector<aprx_operand>& operands,
                  const std::vector<aprx_attribute>& attributes) {
  return {sizeof(aprx_node),
          static_cast<uint32_t>(op),
          static_cast<uint32_t>(operands.size()),
          static_cast<uint32_t>(attributes.size()),
          operands.data(),
          attributes.data()};
}

aprx_verdict probe(const Plugin& plugin, const aprx_node& node, const std::vector<aprx_tensor>& tensors) {
  const aprx_query query{
      sizeof(aprx_query), 8, &node, tensors.data(), static_cast<uint32_t>(tensors.size()), 0};
  aprx_verdict verdict{};
  verdict.struct_size = sizeof verdict;
  plugin->probe(plugin.self(), 0, &query, &verdict);
  return verdict;
}

}  // namespace

TEST_CASE("the CPU backend says what it is and where it runs") {
  const Plugin plugin;
  CHECK(std::string(plugin.facts().name) == "cpu");
  CHECK(plugin.facts().kind == APRX_KIND_BACKEND);
  CHECK(plugin.facts().abi_major == APRX_ABI_MAJOR);
  aprx_verdict available{};
  plugin->availability(plugin.self(), &available);
  CHECK(available.reason == APRX_SUPPORTED);

  REQUIRE(plugin->device_count(plugin.self()) == 1);
  aprx_device_info info{};
  info.struct_size = sizeof info;
  REQUIRE(plugin->device_describe(plugin.self(), 0, &info) == APRX_OK);
  CHECK(std::string(info.id) == "cpu");
  CHECK_FALSE(std::string(info.name).empty());
  CHECK((info.flags & APRX_DEVICE_HOST_MEMORY) != 0);
  CHECK((info.flags & APRX_DEVICE_YARDSTICK) == 0);
  CHECK((info.bytes_per_second > 1e9 && info.bytes_per_second < 1e12));
  CHECK((info.flops_per_second > 1e9 && info.flops_per_second < 1e15));
  for (const aprx_target_info& target : plugin.targets()) {
    if (target.in_use != 0) CHECK(std::string(target.name) == info.target);
  }
}

TEST_CASE("no target of the build is left out") {
  const Plugin plugin;
  std::set<std::string> names;
  for (const aprx_target_info& target : plugin.targets()) names.insert(target.name);
#if defined(__x86_64__)
  if (std::string(APRX_CPU_TARGETS) == "quick") {
    CHECK(names == std::set<std::string>{"SSE2", "AVX2"});
  } else {
    CHECK(names == std::set<std::string>{"SSE2", "SSE4", "AVX2", "AVX3", "AVX3_DL", "AVX3_SPR"});
  }
#else
  CHECK(names.size() >= 2);
#endif
}

TEST_CASE("kernels are listed, and each typed row is one that probe() finds") {
  const Plugin plugin;
  aprx_kernel_row row{};
  row.struct_size = sizeof row;
  std::set<uint32_t> ops;
  uint32_t count = 0;
  while (plugin->kernel_row(plugin.self(), 0, count, &row) == 1) {
    CHECK(row.name[0] != '\0');
    ops.insert(row.op);
    ++count;
  }
  CHECK(count > ops.size());
  for (const Op op :
       {Op::kEmbed, Op::kLinear, Op::kAdd, Op::kMul, Op::kScale, Op::kUnary, Op::kSoftcap, Op::kGlu,
        Op::kRmsNorm, Op::kL2Norm, Op::kGatedRmsNorm, Op::kRope, Op::kKvStore, Op::kAttention,
        Op::kCausalConv1d, Op::kDeltaGate, Op::kGatedDeltaRule, Op::kTakeRows, Op::kLinearGroup}) {
    INFO(aprx::op_name(op));
    CHECK(ops.contains(static_cast<uint32_t>(op)));
  }
}

TEST_CASE("probe() accepts what there is a kernel for, and says why not") {
  const Plugin plugin;
  const std::vector<aprx_operand> operands = {operand(Role::kX, 0), operand(Role::kY, 1, true)};
  std::vector<aprx_tensor> tensors(2, tensor_of(APRX_ACTIVATION, {APRX_DIM_TOKENS, 64}));
  const std::vector<aprx_attribute> eps = {
      {static_cast<uint32_t>(Attr::kEps), APRX_ATTR_REAL, {.real = 1e-6}}};
  CHECK(probe(plugin, node_of(Op::kRmsNorm, operands, eps), tensors).reason == APRX_SUPPORTED);

  tensors[0].dtype = APRX_F16;
  aprx_verdict verdict = probe(plugin, node_of(Op::kRmsNorm, operands, eps), tensors);
  CHECK(verdict.reason == APRX_DTYPE_UNSUPPORTED);
  CHECK(verdict.role == static_cast<uint32_t>(Role::kX));
  CHECK(std::string(verdict.detail) == "an activation of dtype F16");

  verdict = probe(plugin, node_of(Op::kMoe, operands, {}), tensors);
  CHECK(verdict.reason == APRX_OPERATOR_UNSUPPORTED);
  CHECK(verdict.stage == APRX_STAGE_OPERATOR);
}

TEST_CASE("a context takes a target by name, and refuses one by naming those that work") {
  const Plugin plugin;
  void* context = nullptr;
  aprx_error error{};
  const std::string lowest = plugin.targets().back().name;
  aprx_context_options options{sizeof(aprx_context_options), 0, lowest.c_str()};
  REQUIRE(plugin->context_create(plugin.self(), 0, &options, &context, &error) == APRX_OK);
  CHECK(plugin.targets().back().in_use == 1);
  plugin->context_destroy(plugin.self(), context);

  options.target = "Z80";
  CHECK(plugin->context_create(plugin.self(), 0, &options, &context, &error) == APRX_BAD_CALL);
  CHECK(std::string(error.found).starts_with("target Z80 can't be used"));
  CHECK(std::string(error.found).find(lowest) != std::string::npos);

  options.target = nullptr;
  REQUIRE(plugin->context_create(plugin.self(), 0, &options, &context, &error) == APRX_OK);
  plugin->context_destroy(plugin.self(), context);
}

TEST_CASE("a segment of rms_norm and add gives the right values for any number of tokens") {
  const Plugin plugin;
  void* context = nullptr;
  aprx_error error{};
  const aprx_context_options options{sizeof(aprx_context_options), 0, nullptr};
  REQUIRE(plugin->context_create(plugin.self(), 0, &options, &context, &error) == APRX_OK);
  const std::array<float, 2> w = {2, 10};
  const aprx_weight_source source{
      sizeof(aprx_weight_source), 0, tensor_of(APRX_VECTOR, {2}), w.data(), sizeof w, nullptr, nullptr};
  void* weight = nullptr;
  uint32_t keeps_source = 1;
  REQUIRE(plugin->weight_prepare(plugin.self(), context, &source, &weight, &keeps_source, &error) == APRX_OK);
  CHECK(keeps_source == 0);

  // y = rms_norm(x, w), z = y + x
  const std::vector<aprx_tensor> tensors = {
      tensor_of(APRX_ACTIVATION, {APRX_DIM_TOKENS, 2}), tensor_of(APRX_VECTOR, {2}),
      tensor_of(APRX_ACTIVATION, {APRX_DIM_TOKENS, 2}), tensor_of(APRX_ACTIVATION, {APRX_DIM_TOKENS, 2})};
  const std::vector<aprx_place> places = {{APRX_PLACE_ARENA, 0, 0, nullptr},
                                          {APRX_PLACE_WEIGHT, 0, 0, weight},
                                          {APRX_PLACE_ARENA, 0, 64, nullptr},
                                          {APRX_PLACE_ARENA, 0, 128, nullptr}};
  const std::vector<aprx_operand> norm = {operand(Role::kX, 0), operand(Role::kW, 1),
                                          operand(Role::kY, 2, true)};
  const std::vector<aprx_operand> add = {operand(Role::kA, 2), operand(Role::kB, 0),
                                         operand(Role::kY, 3, true)};
  const std::vector<aprx_attribute> eps = {
      {static_cast<uint32_t>(Attr::kEps), APRX_ATTR_REAL, {.real = 0.0}}};
  const std::array<aprx_node, 2> nodes = {node_of(Op::kRmsNorm, norm, eps), node_of(Op::kAdd, add, {})};
  aprx_segment segment{sizeof(aprx_segment),
                       2,
                       0,
                       nodes.size(),
                       static_cast<uint32_t>(tensors.size()),
                       0,
                       nodes.data(),
                       tensors.data(),
                       places.data(),
                       256,
                       0};
  REQUIRE(plugin->workspace_size(plugin.self(), 0, &segment, &segment.workspace_size, &error) == APRX_OK);
  void* compiled = nullptr;
  REQUIRE(plugin->segment_compile(plugin.self(), context, &segment, &compiled, &error) == APRX_OK);
  void* arena = nullptr;
  REQUIRE(plugin->buffer_alloc(plugin.self(), context, 256 + segment.workspace_size, &arena, &error) ==
          APRX_OK);
  const std::array<float, 4> x = {3, -3, 1, 7};  // root mean squares 3 and 5
  REQUIRE(plugin->buffer_write(plugin.self(), context, arena, 0, x.data(), sizeof x, &error) == APRX_OK);

  aprx_run run{sizeof(aprx_run), 0, 0, 0, arena, nullptr};
  std::array<float, 4> z{};
  const auto run_and_read = [&](uint32_t tokens) {
    run.tokens = tokens;
    REQUIRE(plugin->segment_run(plugin.self(), context, compiled, &run, &error) == APRX_OK);
    REQUIRE(plugin->buffer_read(plugin.self(), context, arena, 128, z.data(), sizeof z, &error) == APRX_OK);
  };
  run_and_read(0);
  CHECK(z == std::array<float, 4>{});
  run_and_read(1);
  CHECK(z == std::array<float, 4>{5, -13, 0, 0});
  run_and_read(2);
  CHECK(std::fabs(z[2] - 1.4F) < 1e-6F);
  CHECK(std::fabs(z[3] - 21.0F) < 1e-5F);

  plugin->segment_destroy(plugin.self(), context, compiled);
  plugin->buffer_free(plugin.self(), context, arena);
  plugin->weight_release(plugin.self(), context, weight);
  CHECK(plugin->bytes_in_use(plugin.self(), context) == 0);
  plugin->context_destroy(plugin.self(), context);
}
