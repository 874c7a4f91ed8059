// Tensors of one shape, walked row by row: what element-wise operators and norms loop over.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "aprx/kernel.hpp"

namespace aprx::cpu {

// Elements below which a share of the work isn't worth waking a worker for: about 5 µs.
inline constexpr int64_t kGrainElements = 8192;

enum class RowKind {
  kLastAxis,  // a row is the last axis, as norms need it
  kLongest,   // neighbouring axes without gaps become one row
};

// The rows of N F32 tensors. The first one has the shape of all; others may lack leading axes, which then
// repeat.
template <size_t N>
class Rows {
 public:
  Rows(const std::array<const TensorView*, N>& tensors, RowKind kind) {
    const TensorView& first = *tensors[0];
    rank_ = static_cast<int>(first.rank) - 1;
    length_ = first.shape[rank_];
    std::copy_n(first.shape, rank_, shape_.begin());
    for (size_t i = 0; i < N; ++i) {
      data_[i] = tensors[i]->f32();
      const auto missing = static_cast<int>(first.rank - tensors[i]->rank);
      for (int axis = missing; axis < rank_; ++axis) {
        stride_[i][static_cast<size_t>(axis)] = tensors[i]->stride[axis - missing];
      }
    }
    if (kind == RowKind::kLongest) join_axes();
    for (int axis = 0; axis < rank_; ++axis) count_ *= shape_[static_cast<size_t>(axis)];
  }

  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] int64_t length() const { return length_; }

  // Pointers to element `begin` of row `row` of each tensor.
  [[nodiscard]] std::array<float*, N> at(int64_t row, int64_t begin = 0) const {
    std::array<float*, N> pointers;
    for (size_t i = 0; i < N; ++i) pointers[i] = data_[i] + begin;
    for (int axis = rank_; axis-- > 0;) {
      const auto a = static_cast<size_t>(axis);
      for (size_t i = 0; i < N; ++i) pointers[i] += row % shape_[a] * stride_[i][a];
      row /= shape_[a];
    }
    return pointers;
  }

  // Calls body(pointers, elements) for all rows, or for parts of the row where there is one only. Parallel
  // where the work is worth it.
  template <typename Body>
  void for_each(const Parallel& parallel, const Body& body) const {
    if (count_ == 1) {
      parallel.ranges(length_, kGrainElements,
                      [&](int64_t begin, int64_t end, uint32_t) { body(at(0, begin), end - begin); });
      return;
    }
    for_each_row(parallel, body);
  }

  // The same with whole rows.
  template <typename Body>
  void for_each_row(const Parallel& parallel, const Body& body) const {
    const int64_t grain = std::max<int64_t>(1, kGrainElements / std::max<int64_t>(1, length_));
    parallel.ranges(count_, grain, [&](int64_t begin, int64_t end, uint32_t) {
      for (int64_t row = begin; row < end; ++row) body(at(row), length_);
    });
  }

 private:
  void join_axes() {
    while (rank_ > 0) {
      const auto axis = static_cast<size_t>(rank_ - 1);
      const bool is_gapless = std::ranges::all_of(
          stride_, [&](const auto& stride) { return shape_[axis] == 1 || stride[axis] == length_; });
      if (!is_gapless) return;
      length_ *= shape_[axis];
      --rank_;
    }
  }

  int rank_ = 0;  // axes outside of the row
  int64_t count_ = 1;
  int64_t length_ = 0;
  std::array<int64_t, APRX_MAX_RANK> shape_{};
  std::array<std::array<int64_t, APRX_MAX_RANK>, N> stride_{};
  std::array<float*, N> data_{};
};

}  // namespace aprx::cpu
