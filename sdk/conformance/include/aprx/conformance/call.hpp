// One call of one operator, as a test writes it: operands with values, attributes, then run on a kernel
// table.
//
//   Call call(Op::kRmsNorm);
//   call.input(Role::kX, {2, 64}, x).vector(Role::kW, {64}, w).output(Role::kY, {2, 64}).real(Attr::kEps,
//   1e-6); call.run(reference_rows()); std::vector<float> y = call.floats(Role::kY);
//
// The call probes the table as a host would, gives the kernel exactly the scratch that its row asks for, and
// puts guard bytes behind each buffer. A refusal, a broken guard or a misuse throws std::runtime_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aprx/kernel.hpp"
#include "aprx/kernel_table.hpp"

namespace aprx::conformance {

class Call {
 public:
  explicit Call(Op op) : op_(op) {}

  // Operands, in any order; a role may repeat. Shapes are outermost first.
  Call& input(Role role, std::vector<int64_t> shape, std::span<const float> values);
  // An F32 activation of which only a view is seen: `values` holds the whole buffer, strides count elements.
  Call& view(Role role, std::vector<int64_t> shape, std::vector<int64_t> stride,
             std::span<const float> values);
  Call& integers(Role role, std::span<const int32_t> values);
  Call& vector(Role role, std::vector<int64_t> shape, std::span<const float> values);
  Call& weight(Role role, DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes);
  Call& state(Role role, DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes);
  Call& state(Role role, std::vector<int64_t> shape, std::span<const float> values);
  Call& output(Role role, std::vector<int64_t> shape);

  Call& integer(Attr id, int64_t value);
  Call& real(Attr id, double value);
  Call& word(Attr id, Word value);

  // The table's answer, without running anything.
  [[nodiscard]] aprx_verdict probe(std::span<const KernelRow> rows) const;
  // Runs the row that the table gives; states and outputs change. `host` supplies threads, nullptr for none.
  void run(std::span<const KernelRow> rows, const aprx_host* host = nullptr);

  [[nodiscard]] std::vector<float> floats(Role role, size_t nth = 0) const;
  [[nodiscard]] std::span<const std::byte> bytes(Role role, size_t nth = 0) const;

 private:
  struct Operand {
    Role role;
    bool is_output;
    aprx_tensor tensor;
    std::vector<std::byte> memory;  // the tensor, then guard bytes
  };
  struct Node;

  Call& add(Role role, bool is_output, uint32_t kind, DType dtype, std::vector<int64_t> shape,
            std::span<const std::byte> bytes);
  Call& attribute(aprx_attribute attribute);
  [[nodiscard]] const Operand& operand(Role role, size_t nth) const;
  void check_guards() const;

  Op op_;
  std::vector<Operand> operands_;
  std::vector<aprx_attribute> attributes_;
};

// Normalized RMS error of `actual` against `expected`: ‖actual − expected‖ / ‖expected‖; where `expected` is
// zero throughout, ‖actual‖. NaN where either has a NaN. Sizes must be equal.
double normalized_error(std::span<const float> actual, std::span<const float> expected);

}  // namespace aprx::conformance
