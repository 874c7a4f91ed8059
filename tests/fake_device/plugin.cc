// Backend "fake": plays accelerators on the scalar reference, so that everything that is said about
// devices can be tested without one. Its settings: settings.h.
#include <algorithm>
#include <atomic>

#include "aprx/backend.hpp"
#include "aprx/conformance/reference.hpp"
#include "tests/fake_device/settings.h"

namespace aprx::test {
namespace {

// Counts down with each run of a model on any of the devices; below zero a device is lost.
std::atomic<int64_t> runs_left{INT64_MAX};

const KernelRow& reference_row(Op op) {
  return *std::ranges::find(conformance::reference_rows(), op, &KernelRow::op);
}

// Every run of a model takes the rows whose logits are wanted once.
void take_rows_or_fail(const KernelArgs& args) {
  if (--runs_left < 0) throw BackendError{APRX_DEVICE_LOST, "the device fell off the bus"};
  reference_row(Op::kTakeRows).run(args);
}

std::vector<KernelRow> rows_of(const FakeDevice& device) {
  std::vector<KernelRow> rows;
  for (KernelRow row : conformance::reference_rows()) {
    if (std::ranges::find(device.without, row.op) != device.without.end()) continue;
    const bool is_barred = row.op == Op::kLinear && device.linear &&
                           std::ranges::find(*device.linear, row.dtype) == device.linear->end();
    if (is_barred) continue;
    if (row.op == Op::kTakeRows) row.run = take_rows_or_fail;
    rows.push_back(row);
  }
  return rows;
}

class FakeBackend : public HostBackend {
 public:
  explicit FakeBackend(const aprx_host* host) : HostBackend(host), settings_(fake_settings()) {
    if (settings_.lost_after) runs_left = static_cast<int64_t>(*settings_.lost_after);
    for (const FakeDevice& device : settings_.devices) rows_.push_back(rows_of(device));
  }

  [[nodiscard]] Availability availability() const override {
    if (settings_.unavailable.empty()) return {};
    return {APRX_DRIVER_MISSING, settings_.unavailable};
  }
  [[nodiscard]] uint32_t device_count() const override {
    return settings_.unavailable.empty() ? static_cast<uint32_t>(settings_.devices.size()) : 0;
  }
  [[nodiscard]] DeviceFacts device(uint32_t index) const override {
    const FakeDevice& device = settings_.devices[index];
    return {.id = device.id,
            .name = "Fake Accelerator",
            .target = "",
            .flags = 0,
            .bytes_per_second = device.bandwidth};
  }
  [[nodiscard]] std::span<const KernelRow> rows(uint32_t device) const override { return rows_[device]; }
  [[nodiscard]] aprx_memory_info memory(uint32_t index) const override {
    const uint64_t memory = settings_.devices[index].memory;
    return {sizeof(aprx_memory_info), 0, memory, memory};
  }

 private:
  FakeSettings settings_;
  std::vector<std::vector<KernelRow>> rows_;
};

}  // namespace
}  // namespace aprx::test

extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
    aprx::backend_plugin<aprx::test::FakeBackend>("fake", "0.1.0");
