// Owners of what a device hands out. Each frees through the table that made it; all must die
// before the plugin is closed. A context and what it made are used from one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/capability/device.h"

namespace aprx {

// The error of a failed call: out of memory is kLimit, a cancelled run kInterrupted, else kDevice.
[[nodiscard]] Error device_error(const Device& device, aprx_status status, const aprx_error& error);

class Context {
 public:
  // `target` as in Route::target(); "" leaves the choice to the backend.
  [[nodiscard]] static Result<std::shared_ptr<Context>> create(const Device& device,
                                                               const std::string& target);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] void* handle() const { return handle_; }
  [[nodiscard]] uint64_t bytes_in_use() const { return device_.table->bytes_in_use(device_.self, handle_); }
  [[nodiscard]] Result<void> synchronize() const;

 private:
  Context(Device device, void* handle) : device_(std::move(device)), handle_(handle) {}
  Device device_;
  void* handle_;
};

// Zeroed device memory.
class Buffer {
 public:
  [[nodiscard]] static Result<Buffer> create(std::shared_ptr<Context> context, uint64_t bytes);

  [[nodiscard]] void* handle() const { return handle_.get(); }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] Result<void> write(uint64_t offset, std::span<const std::byte> data);
  [[nodiscard]] Result<void> read(uint64_t offset, std::span<std::byte> data) const;

 private:
  struct Free {
    std::shared_ptr<Context> context;
    void operator()(void* buffer) const;
  };
  Buffer(void* handle, uint64_t size, std::shared_ptr<Context> context)
      : handle_(handle, Free{std::move(context)}), size_(size) {}
  std::unique_ptr<void, Free> handle_;
  uint64_t size_;
};

// A weight in the form that the backend's kernels read.
class PreparedWeight {
 public:
  [[nodiscard]] static Result<PreparedWeight> create(std::shared_ptr<Context> context,
                                                     const aprx_weight_source& source);

  [[nodiscard]] void* handle() const { return handle_.get(); }
  [[nodiscard]] bool keeps_source() const { return keeps_source_; }

 private:
  struct Release {
    std::shared_ptr<Context> context;
    void operator()(void* weight) const;
  };
  PreparedWeight(void* handle, bool keeps_source, std::shared_ptr<Context> context)
      : handle_(handle, Release{std::move(context)}), keeps_source_(keeps_source) {}
  std::unique_ptr<void, Release> handle_;
  bool keeps_source_;
};

class CompiledSegment {
 public:
  [[nodiscard]] static Result<CompiledSegment> create(std::shared_ptr<Context> context,
                                                      const aprx_segment& segment);

  // Runs and waits. Allocates nothing on success.
  [[nodiscard]] Result<void> run(const aprx_run& run);

 private:
  struct Destroy {
    std::shared_ptr<Context> context;
    void operator()(void* compiled) const;
  };
  CompiledSegment(void* handle, std::shared_ptr<Context> context)
      : handle_(handle, Destroy{std::move(context)}) {}
  std::unique_ptr<void, Destroy> handle_;
};

}  // namespace aprx
