// A panel holds two vectors of weight rows, a lane a row. Its bytes lie so that one load gives four
// neighbouring weights of every row, which meet four activations that are the same in all lanes:
//
//   q      [k / 4][rows][4]       scale, min   [k / group][rows]
//
// A tile is one panel and four rows of activations. Integer sums of a group are turned into floats and added
// to the tile's sums with the factors of both sides. k is cut into slices, so that a panel stays in the first
// level of cache; sums wait in the output meanwhile.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "plugins/cpu_simd/gemm/panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/gemm/panels.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "plugins/cpu_simd/gemm/sums-inl.h"

#ifndef APRX_CPU_PANELS_ONCE_
#define APRX_CPU_PANELS_ONCE_
namespace aprx::cpu {
namespace {

constexpr int64_t kSlice = 1024;  // multiple of every block
constexpr int64_t kColumns = 4;
constexpr int64_t kGroupLeast = 16;

struct Panel {
  explicit Panel(std::byte* scratch)
      : q(reinterpret_cast<uint8_t*>(scratch)),
        scale(reinterpret_cast<float*>(scratch + kSlice * kPanelRows)),
        min(scale + kSlice / kGroupLeast * kPanelRows) {}

  static constexpr uint64_t kBytes =
      kSlice * kPanelRows + 2 * (kSlice / kGroupLeast) * kPanelRows * static_cast<int64_t>(sizeof(float));

  uint8_t* q;
  float* scale;
  float* min;
};

// The part of a weight range that is being worked on.
struct Slice {
  int64_t row;    // first weight row
  int64_t rows;   // of the panel that are real
  int64_t first;  // of k
  int64_t k;
};

}  // namespace
}  // namespace aprx::cpu
#endif  // APRX_CPU_PANELS_ONCE_

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

HWY_INLINE size_t lanes() { return hn::Lanes(DLane()); }
HWY_INLINE int64_t rows_of_panel() { return 2 * static_cast<int64_t>(lanes()); }

// Puts block `b` of the slice of one weight row into column `r` of the panel.
template <class F>
HWY_INLINE void fill_block(const uint8_t* block, int64_t b, int64_t r, const Panel& panel) {
  constexpr int kGroups = F::kElements / F::kGroup;
  HWY_ALIGN uint8_t q[F::kElements];
  HWY_ALIGN float scale[kGroups];
  HWY_ALIGN float min[kGroups];
  F::unpack(block, q, scale, min);
  const int64_t rows = rows_of_panel();
  uint8_t* to = panel.q + (b * (F::kElements / 4) * rows + r) * 4;
  for (int i = 0; i < F::kElements / 4; ++i) std::memcpy(to + i * rows * 4, q + 4 * i, 4);
  for (int g = 0; g < kGroups; ++g) {
    panel.scale[(b * kGroups + g) * rows + r] = scale[g];
    if constexpr (F::kHasMin) panel.min[(b * kGroups + g) * rows + r] = min[g];
  }
}

// Rows past the end repeat the last one; their sums are not stored.
template <class F>
void fill_panel(const PackedRows& w, const Slice& slice, const Panel& panel) {
  const int64_t rows = rows_of_panel();
  for (int64_t r = 0; r < rows; ++r) {
    const uint8_t* block =
        w.row(slice.row + std::min(r, slice.rows - 1)) + slice.first / F::kElements * F::kBytes;
    for (int64_t b = 0; b < slice.k / F::kElements; ++b, block += F::kBytes) {
      for (int line = 0; line < F::kBytes; line += 64) hwy::Prefetch(block + rows * w.row_bytes + line);
      fill_block<F>(block, b, r, panel);
    }
  }
}

// One row of activations in a tile, at the group that comes next.
struct Column {
  const int8_t* q;
  const float* scale;
  const float* sum;
  const int16_t* sum16;
};

HWY_INLINE Column column_of(const Int8Row& x, int64_t first) {
  return {x.q + first, x.scale + first / kActBlock, x.sum + first / kActBlock, x.sum16 + first / 16};
}

// What the fold of one group needs of a column.
template <class F>
HWY_INLINE int32_t offset_of(const Column& x, int64_t g) {
  if constexpr (F::kGroup == 32) return -F::kOffset * (x.sum16[2 * g] + x.sum16[2 * g + 1]);
  return -F::kOffset * x.sum16[g];
}

// The integer sums of one group: sums [kColumns][rows of the panel].
template <class F>
HWY_INLINE void sum_group(const uint8_t* w, const int8_t* x0, const int8_t* x1, const int8_t* x2,
                          const int8_t* x3, int32_t* sums) {
  using S = SumsOf<F::kSums>;
  const DLane d;
  const size_t n = lanes();
  const size_t half = 4 * n;  // bytes from the first vector of rows to the second
  auto a0 = S::zero(), a1 = S::zero(), a2 = S::zero(), a3 = S::zero();
  auto b0 = S::zero(), b1 = S::zero(), b2 = S::zero(), b3 = S::zero();
  // Unrolled, GCC sums the additions in trees and spills nearly every product.
  HWY_UNROLL(1)
  for (int i = 0; i < F::kGroup; i += 4 * S::kStep, w += S::kStep * 2 * half) {
    a0 = S::add(a0, w, x0 + i, 2 * half);
    b0 = S::add(b0, w + half, x0 + i, 2 * half);
    a1 = S::add(a1, w, x1 + i, 2 * half);
    b1 = S::add(b1, w + half, x1 + i, 2 * half);
    a2 = S::add(a2, w, x2 + i, 2 * half);
    b2 = S::add(b2, w + half, x2 + i, 2 * half);
    a3 = S::add(a3, w, x3 + i, 2 * half);
    b3 = S::add(b3, w + half, x3 + i, 2 * half);
  }
  hn::Store(S::finish(a0), d, sums);
  hn::Store(S::finish(b0), d, sums + n);
  hn::Store(S::finish(a1), d, sums + 2 * n);
  hn::Store(S::finish(b1), d, sums + 3 * n);
  hn::Store(S::finish(a2), d, sums + 4 * n);
  hn::Store(S::finish(b2), d, sums + 5 * n);
  hn::Store(S::finish(a3), d, sums + 6 * n);
  hn::Store(S::finish(b3), d, sums + 7 * n);
}

// acc += scale · (sums + offset) − min · Σ x for one column, scale and min of both sides.
template <class F>
HWY_INLINE void fold(const int32_t* sums, const float* scale, const float* min, const Column& x, int64_t g,
                     float* acc) {
  const DLane d;
  const DLaneF df;
  const int64_t block = g * F::kGroup / kActBlock;
  const auto factor = hn::Set(df, x.scale[block]);
  const auto sum = hn::Set(df, x.sum[block]);
  const auto offset = hn::Set(d, offset_of<F>(x, g));
  for (size_t i = 0; i < 2 * lanes(); i += lanes()) {
    auto products = hn::Load(d, sums + i);
    if constexpr (F::kOffset != 0) products = hn::Add(products, offset);
    const auto factors = hn::Mul(hn::Load(df, scale + i), factor);
    auto result = hn::MulAdd(hn::ConvertTo(df, products), factors, hn::Load(df, acc + i));
    if constexpr (F::kHasMin) result = hn::NegMulAdd(hn::Load(df, min + i), sum, result);
    hn::Store(result, df, acc + i);
  }
}

// Adds the products of the slice to the sums of a tile, acc [kColumns][rows of the panel].
template <class F>
void tile(const Panel& panel, int64_t k, const Column (&x)[kColumns], float* acc) {
  const auto rows = static_cast<size_t>(rows_of_panel());
  HWY_ALIGN int32_t sums[kColumns * kPanelRows];
  for (int64_t g = 0; g < k / F::kGroup; ++g) {
    const int64_t at = g * F::kGroup;
    sum_group<F>(panel.q + static_cast<size_t>(at) * rows, x[0].q + at, x[1].q + at, x[2].q + at, x[3].q + at,
                 sums);
    const float* scale = panel.scale + static_cast<size_t>(g) * rows;
    const float* min = panel.min + static_cast<size_t>(g) * rows;
    for (size_t c = 0; c < kColumns; ++c) fold<F>(sums + c * rows, scale, min, x[c], g, acc + c * rows);
  }
}

// Runs the panel over all rows of `x`. Columns past the end repeat the last one; their sums are not stored.
template <class F>
void multiply(const Panel& panel, const Slice& slice, const Int8Rows& x, const Output& out) {
  const int64_t rows = rows_of_panel();
  const size_t stored = static_cast<size_t>(slice.rows) * sizeof(float);
  HWY_ALIGN float acc[kColumns * kPanelRows];
  for (int64_t t = 0; t < x.rows(); t += kColumns) {
    const int64_t columns = std::min(kColumns, x.rows() - t);
    const auto column = [&](int64_t c) {
      return column_of(x.row(t + std::min(c, columns - 1)), slice.first);
    };
    float* y = out.y + t * out.stride + slice.row;
    hwy::ZeroBytes(acc, sizeof acc);
    for (int64_t c = 0; c < columns && slice.first > 0; ++c)
      std::memcpy(acc + c * rows, y + c * out.stride, stored);
    tile<F>(panel, slice.k, {column(0), column(1), column(2), column(3)}, acc);
    for (int64_t c = 0; c < columns; ++c) std::memcpy(y + c * out.stride, acc + c * rows, stored);
  }
}

template <class F>
void panels(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
            std::byte* scratch) {
  const Panel panel(scratch);
  const int64_t rows = rows_of_panel();
  for (int64_t row = begin; row < end; row += rows) {
    for (int64_t first = 0; first < w.k; first += kSlice) {
      const Slice slice{row, std::min(rows, end - row), first, std::min(kSlice, w.k - first)};
      fill_panel<F>(w, slice, panel);
      multiply<F>(panel, slice, x, out);
    }
  }
}

void run_q8_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
              std::byte* scratch) {
  panels<UnpackQ8_0>(w, begin, end, x, out, scratch);
}
void run_q4_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
              std::byte* scratch) {
  panels<UnpackQ4_0>(w, begin, end, x, out, scratch);
}
void run_q4_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
              std::byte* scratch) {
  panels<UnpackQ4_K>(w, begin, end, x, out, scratch);
}
void run_q5_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
              std::byte* scratch) {
  panels<UnpackQ5_K>(w, begin, end, x, out, scratch);
}
void run_q6_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
              std::byte* scratch) {
  panels<UnpackQ6_K>(w, begin, end, x, out, scratch);
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(run_q8_0);
HWY_EXPORT(run_q4_0);
HWY_EXPORT(run_q4_k);
HWY_EXPORT(run_q5_k);
HWY_EXPORT(run_q6_k);
}  // namespace

uint64_t panel_scratch_bytes() { return Panel::kBytes; }

void panels_q8_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
                 std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(run_q8_0)(w, begin, end, x, out, scratch);
}
void panels_q4_0(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
                 std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(run_q4_0)(w, begin, end, x, out, scratch);
}
void panels_q4_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
                 std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(run_q4_k)(w, begin, end, x, out, scratch);
}
void panels_q5_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
                 std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(run_q5_k)(w, begin, end, x, out, scratch);
}
void panels_q6_k(const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x, const Output& out,
                 std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(run_q6_k)(w, begin, end, x, out, scratch);
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
