// Backend "cpu": kernels for the processor's vector instructions, chosen when the plugin is opened.
#include "aprx/backend.hpp"
#include "plugins/cpu_simd/cpu_facts.h"
#include "plugins/cpu_simd/kernel_table.h"
#include "plugins/cpu_simd/targets.h"

namespace aprx::cpu {
namespace {

class CpuBackend : public HostBackend {
 public:
  using HostBackend::HostBackend;

  [[nodiscard]] DeviceFacts device(uint32_t) const override {
    const uint32_t workers = Parallel(host()).workers();
    return {.id = "cpu",
            .name = facts_.name,
            .target = targets_.in_use(),
            .bytes_per_second = estimated_bytes_per_second(workers),
            .flops_per_second = estimated_flops(facts_, workers, targets_.vector_bytes())};
  }
  [[nodiscard]] std::span<const KernelRow> rows(uint32_t) const override { return rows_; }
  [[nodiscard]] std::vector<TargetFacts> targets() const override { return targets_.facts(); }
  void select_target(const std::string& name) override { targets_.select(name); }
  // Decoding reads every weight for every token, and from a mapped file at two thirds of the speed.
  [[nodiscard]] bool copies_matrices() const override { return has_huge_pages_; }

 private:
  bool has_huge_pages_ = huge_pages_usable();
  CpuFacts facts_ = cpu_facts();
  Targets targets_;
  std::vector<KernelRow> rows_ = kernel_table();
};

}  // namespace
}  // namespace aprx::cpu

extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
    aprx::backend_plugin<aprx::cpu::CpuBackend>("cpu", "0.1.0");
