#include "aprx/conformance/call.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

namespace aprx::conformance {
namespace {

constexpr size_t kGuardSize = 64;
constexpr std::byte kGuard{0xA7};

int64_t product(std::span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

int64_t storage_bytes(const aprx_tensor& tensor) {
  const int64_t width = tensor.shape[tensor.rank - 1];
  const int64_t rows = product({tensor.shape, tensor.rank - 1});
  return rows * row_bytes(static_cast<DType>(tensor.dtype), width);
}

aprx_tensor describe(uint32_t kind, DType dtype, std::span<const int64_t> shape) {
  if (shape.empty() || shape.size() > APRX_MAX_RANK) throw std::runtime_error("rank outside 1 … 6");
  aprx_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.dtype = static_cast<uint32_t>(dtype);
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

std::vector<std::byte> guarded(std::span<const std::byte> bytes) {
  std::vector<std::byte> memory(bytes.begin(), bytes.end());
  memory.resize(memory.size() + kGuardSize, kGuard);
  return memory;
}

TensorView view_of(const aprx_tensor& tensor, std::byte* data) {
  TensorView view;
  view.dtype = static_cast<DType>(tensor.dtype);
  view.kind = tensor.kind;
  view.rank = tensor.rank;
  std::copy(std::begin(tensor.shape), std::end(tensor.shape), std::begin(view.shape));
  std::copy(std::begin(tensor.stride), std::end(tensor.stride), std::begin(view.stride));
  view.data = data;
  return view;
}

}  // namespace

// The call in the form that crosses the ABI.
struct Call::Node {
  explicit Node(const Call& call) {
    for (const Operand& operand : call.operands_) {
      const auto index = static_cast<uint32_t>(tensors.size());
      operands.push_back({static_cast<uint32_t>(operand.role), index, operand.is_output ? 1U : 0U, 0});
      tensors.push_back(operand.tensor);
    }
    node.struct_size = sizeof node;
    node.op = static_cast<uint32_t>(call.op_);
    node.operand_count = static_cast<uint32_t>(operands.size());
    node.attribute_count = static_cast<uint32_t>(call.attributes_.size());
    node.operands = operands.data();
    node.attributes = call.attributes_.data();
  }
  [[nodiscard]] NodeView view() const {
    int64_t tokens = 0;
    for (const aprx_tensor& tensor : tensors) {
      if (tensor.kind == APRX_ACTIVATION) tokens = std::max(tokens, tensor.shape[0]);
    }
    return {node, tensors, static_cast<uint32_t>(tokens)};
  }

  std::vector<aprx_operand> operands;
  std::vector<aprx_tensor> tensors;
  aprx_node node{};
};

Call& Call::add(Role role, bool is_output, uint32_t kind, DType dtype, std::vector<int64_t> shape,
                std::span<const std::byte> bytes) {
  const aprx_tensor tensor = describe(kind, dtype, shape);
  if (static_cast<int64_t>(bytes.size()) != storage_bytes(tensor)) {
    throw std::runtime_error(std::string(role_name(role)) + ": the values don't fill the shape");
  }
  operands_.push_back({role, is_output, tensor, guarded(bytes)});
  return *this;
}

Call& Call::input(Role role, std::vector<int64_t> shape, std::span<const float> values) {
  return add(role, false, APRX_ACTIVATION, DType::kF32, std::move(shape), std::as_bytes(values));
}

Call& Call::view(Role role, std::vector<int64_t> shape, std::vector<int64_t> stride,
                 std::span<const float> values) {
  aprx_tensor tensor = describe(APRX_ACTIVATION, DType::kF32, shape);
  int64_t last = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    tensor.stride[axis] = stride.at(axis);
    last += std::max<int64_t>(0, shape[axis] - 1) * stride[axis];
  }
  if (last >= static_cast<int64_t>(values.size()))
    throw std::runtime_error("the view reaches past the values");
  operands_.push_back({role, false, tensor, guarded(std::as_bytes(values))});
  return *this;
}

Call& Call::integers(Role role, std::span<const int32_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return add(role, false, APRX_INPUT, DType::kI32, {count}, std::as_bytes(values));
}

Call& Call::vector(Role role, std::vector<int64_t> shape, std::span<const float> values) {
  return add(role, false, APRX_VECTOR, DType::kF32, std::move(shape), std::as_bytes(values));
}

Call& Call::weight(Role role, DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes) {
  return add(role, false, APRX_WEIGHT, dtype, std::move(shape), bytes);
}

Call& Call::state(Role role, DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes) {
  return add(role, false, APRX_STATE, dtype, std::move(shape), bytes);
}

Call& Call::state(Role role, std::vector<int64_t> shape, std::span<const float> values) {
  return state(role, DType::kF32, std::move(shape), std::as_bytes(values));
}

Call& Call::output(Role role, std::vector<int64_t> shape) {
  // NaN, so that a value that is never written shows.
  const std::vector<float> unwritten(static_cast<size_t>(product(shape)), std::nanf(""));
  return add(role, true, APRX_ACTIVATION, DType::kF32, std::move(shape), std::as_bytes(std::span(unwritten)));
}

Call& Call::attribute(aprx_attribute attribute) {
  const auto after = std::find_if(attributes_.begin(), attributes_.end(),
                                  [&](const aprx_attribute& other) { return other.id > attribute.id; });
  attributes_.insert(after, attribute);
  return *this;
}

Call& Call::integer(Attr id, int64_t value) {
  return attribute({static_cast<uint32_t>(id), APRX_ATTR_INT, {.integer = value}});
}

Call& Call::real(Attr id, double value) {
  return attribute({static_cast<uint32_t>(id), APRX_ATTR_REAL, {.real = value}});
}

Call& Call::word(Attr id, Word value) {
  return attribute({static_cast<uint32_t>(id), APRX_ATTR_WORD, {.integer = static_cast<int64_t>(value)}});
}

aprx_verdict Call::probe(std::span<const KernelRow> rows) const {
  const Node node(*this);
  aprx_verdict verdict{};
  verdict.struct_size = sizeof verdict;
  find_row(rows, node.view(), verdict);
  return verdict;
}

void Call::run(std::span<const KernelRow> rows, const aprx_host* host) {
  const Node node(*this);
  aprx_verdict verdict{};
  const KernelRow* row = find_row(rows, node.view(), verdict);
  if (row == nullptr) {
    throw std::runtime_error("refused: " + std::string(op_name(op_)) + ", reason " +
                             std::to_string(verdict.reason) + " " + verdict.detail);
  }
  const Parallel parallel(host);
  const uint64_t asked =
      row->scratch_bytes == nullptr ? 0 : row->scratch_bytes(node.view(), parallel.workers());

  // Scratch starts at a multiple of 64, as the host promises, and is dirty.
  std::vector<std::byte> scratch(asked + 2 * kGuardSize, kGuard);
  const size_t misalignment = reinterpret_cast<uintptr_t>(scratch.data()) % kGuardSize;
  std::byte* start = scratch.data() + (kGuardSize - misalignment) % kGuardSize;

  std::vector<KernelOperand> bound;
  for (Operand& operand : operands_) {
    bound.push_back({operand.role, operand.is_output, view_of(operand.tensor, operand.memory.data())});
  }
  row->run({bound, attributes_, {start, asked}, parallel});
  check_guards();
  if (!std::all_of(start + asked, scratch.data() + scratch.size(), [](std::byte b) { return b == kGuard; })) {
    throw std::runtime_error(std::string(op_name(op_)) + ": wrote past its scratch");
  }
}

void Call::check_guards() const {
  for (const Operand& operand : operands_) {
    const std::span<const std::byte> guard = std::span(operand.memory).last(kGuardSize);
    if (std::all_of(guard.begin(), guard.end(), [](std::byte b) { return b == kGuard; })) continue;
    throw std::runtime_error(std::string(role_name(operand.role)) + ": was written past its end");
  }
}

const Call::Operand& Call::operand(Role role, size_t nth) const {
  for (const Operand& operand : operands_) {
    if (operand.role == role && nth-- == 0) return operand;
  }
  throw std::runtime_error("no operand " + std::string(role_name(role)));
}

std::span<const std::byte> Call::bytes(Role role, size_t nth) const {
  const std::vector<std::byte>& memory = operand(role, nth).memory;
  return std::span(memory).first(memory.size() - kGuardSize);
}

std::vector<float> Call::floats(Role role, size_t nth) const {
  const std::span<const std::byte> raw = bytes(role, nth);
  if (operand(role, nth).tensor.dtype != APRX_F32) throw std::runtime_error("operand isn't F32");
  std::vector<float> values(raw.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

double normalized_error(std::span<const float> actual, std::span<const float> expected) {
  if (actual.size() != expected.size()) throw std::runtime_error("sizes differ");
  double difference = 0.0;
  double norm = 0.0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double d = static_cast<double>(actual[i]) - static_cast<double>(expected[i]);
    difference += d * d;
    norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return norm == 0.0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

}  // namespace aprx::conformance
