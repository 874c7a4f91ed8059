// The CUDA plugin on whatever machine runs the tests: it loads, and what it says about the driver is true.
#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>

#include "aprx/abi.h"

namespace {

using Library = std::unique_ptr<void, int (*)(void*)>;

// A struct of the interface, zero but for its size.
template <typename T>
T sized() {
  T value{};
  value.struct_size = sizeof(T);
  return value;
}

Library open_library(const char* path) { return {dlopen(path, RTLD_NOW | RTLD_LOCAL), &dlclose}; }

// The plugin's object, closed before its library goes.
class OpenPlugin {
 public:
  OpenPlugin() : library_(open_library(APRX_CUDA_PLUGIN)) {
    INFO((library_ ? "" : dlerror()));
    REQUIRE(library_);
    plugin_ = static_cast<const aprx_plugin*>(dlsym(library_.get(), APRX_PLUGIN_SYMBOL));
    REQUIRE(plugin_ != nullptr);
    const void* table = nullptr;
    auto error = sized<aprx_error>();
    REQUIRE(plugin_->open(&host_, &self_, &table, &error) == APRX_OK);
    backend_ = static_cast<const aprx_backend*>(table);
  }
  ~OpenPlugin() {
    if (self_ != nullptr) plugin_->close(self_);
  }
  OpenPlugin(const OpenPlugin&) = delete;
  OpenPlugin& operator=(const OpenPlugin&) = delete;

  [[nodiscard]] const aprx_plugin& plugin() const { return *plugin_; }
  [[nodiscard]] const aprx_backend& backend() const { return *backend_; }
  [[nodiscard]] void* self() const { return self_; }

 private:
  Library library_;
  aprx_host host_ = sized<aprx_host>();
  const aprx_plugin* plugin_ = nullptr;
  const aprx_backend* backend_ = nullptr;
  void* self_ = nullptr;
};

}  // namespace

TEST_CASE("the CUDA plugin states its kind, name and interface version") {
  const OpenPlugin opened;
  CHECK(opened.plugin().abi_major == APRX_ABI_MAJOR);
  CHECK(opened.plugin().kind == APRX_KIND_BACKEND);
  CHECK(std::string(opened.plugin().name) == "cuda");
}

TEST_CASE("without a driver the CUDA plugin loads, and names the driver as what is missing") {
  if (open_library("libcuda.so.1")) SKIP("needs a machine without an NVIDIA driver");
  const OpenPlugin opened;
  auto verdict = sized<aprx_verdict>();
  opened.backend().availability(opened.self(), &verdict);
  CHECK(verdict.reason == APRX_DRIVER_MISSING);
  CHECK(std::string(verdict.detail).starts_with("no NVIDIA driver is installed"));
  CHECK(opened.backend().device_count(opened.self()) == 0);
  auto info = sized<aprx_device_info>();
  CHECK(opened.backend().device_describe(opened.self(), 0, &info) == APRX_BAD_CALL);
}

TEST_CASE("with a driver and a device the CUDA plugin describes the device") {
  if (!open_library("libcuda.so.1")) SKIP("needs a machine with an NVIDIA driver and device");
  const OpenPlugin opened;
  auto verdict = sized<aprx_verdict>();
  opened.backend().availability(opened.self(), &verdict);
  REQUIRE(verdict.reason == APRX_SUPPORTED);
  REQUIRE(opened.backend().device_count(opened.self()) >= 1);
  auto info = sized<aprx_device_info>();
  REQUIRE(opened.backend().device_describe(opened.self(), 0, &info) == APRX_OK);
  CHECK(std::string(info.id) == "cuda:0");
  CHECK(std::string(info.target).starts_with("sm_"));
  auto memory = sized<aprx_memory_info>();
  REQUIRE(opened.backend().memory_info(opened.self(), 0, &memory) == APRX_OK);
  CHECK(memory.total >= memory.free);
  CHECK(memory.free > 0);
}
