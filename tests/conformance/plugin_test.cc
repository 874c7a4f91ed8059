// The reference backend as the host meets it: a shared library that is opened, asked and run through the C
// ABI.
#include <dlfcn.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "aprx/abi.h"
#include "aprx/conformance/reference.hpp"

namespace {

uint32_t not_cancelled(void*) { return 0; }
uint32_t one_worker(void*) { return 1; }
void run_here(void*, uint32_t tasks, aprx_task_fn body, void* argument) {
  for (uint32_t task = 0; task < tasks; ++task) body(argument, task, 0);
}
void no_log(void*, uint32_t, const char*) {}

constexpr aprx_host kHost = {sizeof(aprx_host), APRX_ABI_MAJOR, APRX_ABI_MINOR, nullptr, "test", no_log,
                             run_here,          one_worker,     not_cancelled};

// The opened plugin and its context; closed in the right order.
class Plugin {
 public:
  Plugin() {
    library_ = dlopen(APRX_BINARY_DIR "/lib/aprx/plugins/aprx_backend_reference.so", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) FAIL(dlerror());  // NOLINT(concurrency-mt-unsafe)
    plugin_ = static_cast<const aprx_plugin*>(dlsym(library_, APRX_PLUGIN_SYMBOL));
    REQUIRE(plugin_ != nullptr);
    aprx_error error{};
    const void* table = nullptr;
    REQUIRE(plugin_->open(&kHost, &self_, &table, &error) == APRX_OK);
    backend_ = static_cast<const aprx_backend*>(table);
    const aprx_context_options options{sizeof(aprx_context_options), 0, nullptr};
    REQUIRE(backend_->context_create(self_, 0, &options, &context_, &error) == APRX_OK);
  }
  ~Plugin() {
    backend_->context_destroy(self_, context_);
    plugin_->close(self_);
    dlclose(library_);
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] const aprx_plugin& facts() const { return *plugin_; }
  [[nodiscard]] const aprx_backend& backend() const { return *backend_; }
  [[nodiscard]] void* self() const { return self_; }
  [[nodiscard]] void* context() const { return context_; }

 private:
  void* library_ = nullptr;
  const aprx_plugin* plugin_ = nullptr;
  void* self_ = nullptr;
  const aprx_backend* backend_ = nullptr;
  void* context_ = nullptr;
};

aprx_tensor matrix(uint32_t kind, int64_t rows, int64_t columns) {
  aprx_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.dtype = APRX_F32;
  tensor.kind = kind;
  tensor.rank = 2;
  tensor.shape[0] = rows;
  tensor.shape[1] = columns;
  tensor.stride[0] = columns;
  tensor.stride[1] = 1;
  return tensor;
}

}  // namespace

TEST_CASE("the reference backend is a yardstick and lists its kernel table") {
  const Plugin plugin;
  CHECK(std::string_view(plugin.facts().name) == "reference");
  CHECK(plugin.facts().kind == APRX_KIND_BACKEND);
  REQUIRE(plugin.backend().device_count(plugin.self()) == 1);
  aprx_device_info info{};
  info.struct_size = sizeof info;
  REQUIRE(plugin.backend().device_describe(plugin.self(), 0, &info) == APRX_OK);
  CHECK((info.flags & APRX_DEVICE_YARDSTICK) != 0);
  CHECK(std::string_view(info.id) == "reference");

  const auto rows = aprx::conformance::reference_rows();
  aprx_kernel_row row{};
  row.struct_size = sizeof row;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    REQUIRE(plugin.backend().kernel_row(plugin.self(), 0, i, &row) == 1);
    CHECK(row.op == static_cast<uint32_t>(rows[i].op));
    CHECK(row.dtype == static_cast<uint32_t>(rows[i].dtype));
  }
  CHECK(plugin.backend().kernel_row(plugin.self(), 0, static_cast<uint32_t>(rows.size()), &row) == 0);
}

TEST_CASE("the reference backend runs a segment for any number of tokens up to its most") {
  const Plugin plugin;
  const aprx_backend& backend = plugin.backend();
  aprx_error error{};

  const std::array<float, 6> w = {1, 2, 3, 4, 5, 6};
  aprx_weight_source source{
      sizeof(aprx_weight_source), 0, matrix(APRX_WEIGHT, 3, 2), w.data(), sizeof w, nullptr, nullptr};
  void* weight = nullptr;
  uint32_t keeps_source = 0;
  REQUIRE(backend.weight_prepare(plugin.self(), plugin.context(), &source, &weight, &keeps_source, &error) ==
          APRX_OK);
  CHECK(keeps_source == 1);

  const std::array<aprx_operand, 3> operands = {{{static_cast<uint32_t>(aprx::Role::kX), 0, 0, 0},
                                                 {static_cast<uint32_t>(aprx::Role::kW), 1, 0, 0},
                                                 {static_cast<uint32_t>(aprx::Role::kY), 2, 1, 0}}};
  aprx_node node{};
  node.struct_size = sizeof node;
  node.op = static_cast<uint32_t>(aprx::Op::kLinear);
  node.operand_count = operands.size();
  node.operands = operands.data();
  const std::array<aprx_tensor, 3> tensors = {matrix(APRX_ACTIVATION, APRX_DIM_TOKENS, 2),
                                              matrix(APRX_WEIGHT, 3, 2),
                                              matrix(APRX_ACTIVATION, APRX_DIM_TOKENS, 3)};
  constexpr uint64_t kOutputAt = 64;
  constexpr uint64_t kWorkspaceAt = 128;
  const std::array<aprx_place, 3> places = {{{APRX_PLACE_ARENA, 0, 0, nullptr},
                                             {APRX_PLACE_WEIGHT, 0, 0, weight},
                                             {APRX_PLACE_ARENA, 0, kOutputAt, nullptr}}};
  aprx_segment segment{};
  segment.struct_size = sizeof segment;
  segment.tokens_max = 2;
  segment.node_count = 1;
  segment.tensor_count = tensors.size();
  segment.nodes = &node;
  segment.tensors = tensors.data();
  segment.places = places.data();
  segment.workspace_offset = kWorkspaceAt;
  REQUIRE(backend.workspace_size(plugin.self(), 0, &segment, &segment.workspace_size, &error) == APRX_OK);
  void* compiled = nullptr;
  REQUIRE(backend.segment_compile(plugin.self(), plugin.context(), &segment, &compiled, &error) == APRX_OK);

  void* arena = nullptr;
  const uint64_t arena_size = kWorkspaceAt + segment.workspace_size;
  REQUIRE(backend.buffer_alloc(plugin.self(), plugin.context(), arena_size, &arena, &error) == APRX_OK);
  const std::array<float, 4> x = {1, 1, 1, -1};
  REQUIRE(backend.buffer_write(plugin.self(), plugin.context(), arena, 0, x.data(), sizeof x, &error) ==
          APRX_OK);

  aprx_run run{sizeof(aprx_run), 1, 0, 0, arena, nullptr};
  std::array<float, 6> y{};
  const auto run_and_read = [&](uint32_t tokens) {
    run.tokens = tokens;
    REQUIRE(backend.segment_run(plugin.self(), plugin.context(), compiled, &run, &error) == APRX_OK);
    REQUIRE(backend.buffer_read(plugin.self(), plugin.context(), arena, kOutputAt, y.data(), sizeof y,
                                &error) == APRX_OK);
  };
  run_and_read(0);
  CHECK(y == std::array<float, 6>{});
  run_and_read(1);
  CHECK(y == std::array<float, 6>{3, 7, 11, 0, 0, 0});
  run_and_read(2);
  CHECK(y == std::array<float, 6>{3, 7, 11, -1, -1, -1});

  backend.segment_destroy(plugin.self(), plugin.context(), compiled);
  backend.buffer_free(plugin.self(), plugin.context(), arena);
  backend.weight_release(plugin.self(), plugin.context(), weight);
  CHECK(backend.bytes_in_use(plugin.self(), plugin.context()) == 0);
}
