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

// What a dtype's bytes ask of panels on this target. With VNNI the sign bit of int8 is flipped, which makes
// the weights unsigned.
struct PanelForm {
  explicit PanelForm(const ByteForm& form)
      : bytes(form),
        unpack(form.unpacker(form.dtype)),
        is_flipped(kHasDot4 && form.range == ByteRange::kSigned),
        offset(is_flipped ? 128 : form.offset) {}

  const ByteForm& bytes;
  UnpackFn unpack;
  bool is_flipped;
  int32_t offset;
};

// Puts a run of one weight row, `first` weights into the slice, into column `r` of the panel.
HWY_INLINE void fill_column(const Run& run, int64_t elements, const PanelForm& form, int64_t first, int64_t r,
                            const Panel& panel) {
  const int64_t rows = rows_of_panel();
  const uint32_t flip = form.is_flipped ? 0x8080'8080U : 0U;
  uint8_t* to = panel.q + (first * rows + 4 * r);
  for (int64_t i = 0; i < elements; i += 4, to += 4 * rows) {
    uint32_t four;
    std::memcpy(&four, run.q + i, 4);
    four ^= flip;
    std::memcpy(to, &four, 4);
  }
  const int halves = 32 / form.bytes.group;
  int64_t at = first / form.bytes.group * rows + r;
  for (int64_t b = 0; b < elements / 32; ++b) {
    for (int h = 0; h < halves; ++h, at += rows) {
      panel.scale[at] = run.scale[h][b];
      if (form.bytes.has_min) panel.min[at] = run.min[h][b];
    }
  }
}

// Rows past the end repeat the last one; their sums are not stored.
void fill_panel(const PanelForm& form, const PackedRows& w, const Slice& slice, const Panel& panel) {
  const int64_t rows = rows_of_panel();
  const int64_t run_bytes = form.bytes.run_bytes();
  Run run;
  for (int64_t r = 0; r < rows; ++r) {
    const uint8_t* blocks =
        w.row(slice.row + std::min(r, slice.rows - 1)) + slice.first / Run::kMost * run_bytes;
    for (int64_t first = 0; first < slice.k; first += Run::kMost, blocks += run_bytes) {
      for (int64_t line = 0; line < run_bytes; line += 64) hwy::Prefetch(blocks + rows * w.row_bytes + line);
      const int64_t elements = std::min(Run::kMost, slice.k - first);
      form.unpack(blocks, elements, run);
      fill_column(run, elements, form, first, r, panel);
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

// The integer sums of one group: sums [kColumns][rows of the panel].
template <ByteRange kRange, int kGroup>
HWY_INLINE void sum_group(const uint8_t* w, const int8_t* x0, const int8_t* x1, const int8_t* x2,
                          const int8_t* x3, int32_t* sums) {
  using S = SumsOf<kRange>;
  const DLane d;
  const size_t n = lanes();
  const size_t half = 4 * n;  // bytes from the first vector of rows to the second
  auto a0 = S::zero(), a1 = S::zero(), a2 = S::zero(), a3 = S::zero();
  auto b0 = S::zero(), b1 = S::zero(), b2 = S::zero(), b3 = S::zero();
  // Unrolled, GCC sums the additions in trees and spills nearly every product.
  HWY_UNROLL(1)
  for (int i = 0; i < kGroup; i += 4 * S::kStep, w += S::kStep * 2 * half) {
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

// acc += scale · sums − min · Σ x for one column, scale and min of both sides.
HWY_INLINE void fold_with_min(const int32_t* sums, const float* scale, const float* min, float scale_x,
                              float sum_x, float* acc) {
  const DLane d;
  const DLaneF df;
  const auto factor = hn::Set(df, scale_x);
  const auto sum = hn::Set(df, sum_x);
  for (size_t i = 0; i < 2 * lanes(); i += lanes()) {
    const auto products = hn::ConvertTo(df, hn::Load(d, sums + i));
    const auto factors = hn::Mul(hn::Load(df, scale + i), factor);
    const auto result = hn::MulAdd(products, factors, hn::Load(df, acc + i));
    hn::Store(hn::NegMulAdd(hn::Load(df, min + i), sum, result), df, acc + i);
  }
}

// acc += scale · (sums + offset) for one column, scale of both sides.
HWY_INLINE void fold_with_offset(const int32_t* sums, const float* scale, float scale_x, int32_t offset,
                                 float* acc) {
  const DLane d;
  const DLaneF df;
  const auto factor = hn::Set(df, scale_x);
  for (size_t i = 0; i < 2 * lanes(); i += lanes()) {
    const auto products = hn::ConvertTo(df, hn::Add(hn::Load(d, sums + i), hn::Set(d, offset)));
    const auto factors = hn::Mul(hn::Load(df, scale + i), factor);
    hn::Store(hn::MulAdd(products, factors, hn::Load(df, acc + i)), df, acc + i);
  }
}

// Σ q of group `g` of a column.
template <int kGroup>
HWY_INLINE int32_t sum_of(const Column& x, int64_t g) {
  if constexpr (kGroup == 32) return x.sum16[2 * g] + x.sum16[2 * g + 1];
  return x.sum16[g];
}

// Adds the products of the slice to the sums of a tile, acc [kColumns][rows of the panel].
template <ByteRange kRange, int kGroup, bool kHasMin>
void tile(const PanelForm& form, const Panel& panel, int64_t k, const Column (&x)[kColumns], float* acc) {
  const auto rows = static_cast<size_t>(rows_of_panel());
  HWY_ALIGN int32_t sums[kColumns * kPanelRows];
  for (int64_t g = 0; g < k / kGroup; ++g) {
    const int64_t at = g * kGroup;
    const int64_t block = at / kActBlock;
    sum_group<kRange, kGroup>(panel.q + static_cast<size_t>(at) * rows, x[0].q + at, x[1].q + at, x[2].q + at,
                              x[3].q + at, sums);
    const float* scale = panel.scale + static_cast<size_t>(g) * rows;
    const float* min = panel.min + static_cast<size_t>(g) * rows;
    for (size_t c = 0; c < kColumns; ++c) {
      const size_t to = c * rows;
      if constexpr (kHasMin) {
        const float sum =
            kGroup == 32 ? x[c].sum[block] : x[c].scale[block] * static_cast<float>(sum_of<kGroup>(x[c], g));
        fold_with_min(sums + to, scale, min, x[c].scale[block], sum, acc + to);
      } else {
        fold_with_offset(sums + to, scale, x[c].scale[block], -form.offset * sum_of<kGroup>(x[c], g),
                         acc + to);
      }
    }
  }
}

using TileFn = void (*)(const PanelForm& form, const Panel& panel, int64_t k, const Column (&x)[kColumns],
                        float* acc);

template <ByteRange kRange>
TileFn tile_of_range(const ByteForm& form) {
  if (form.has_min) return form.group == 32 ? tile<kRange, 32, true> : tile<kRange, 16, true>;
  return form.group == 32 ? tile<kRange, 32, false> : tile<kRange, 16, false>;
}

// With VNNI all bytes are summed alike.
constexpr ByteRange told_apart(ByteRange range) { return kHasDot4 ? ByteRange::k128 : range; }

TileFn tile_of(const ByteForm& form) {
  switch (told_apart(form.range)) {
    case ByteRange::k15: return tile_of_range<told_apart(ByteRange::k15)>(form);
    case ByteRange::k63: return tile_of_range<told_apart(ByteRange::k63)>(form);
    case ByteRange::k128: return tile_of_range<ByteRange::k128>(form);
    case ByteRange::kSigned: return tile<told_apart(ByteRange::kSigned), 32, false>;
  }
  return nullptr;
}

// Runs the panel over all rows of `x`. Columns past the end repeat the last one; their sums are not stored.
void multiply(TileFn tile, const PanelForm& form, const Panel& panel, const Slice& slice, const Int8Rows& x,
              const Output& out) {
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
    tile(form, panel, slice.k, {column(0), column(1), column(2), column(3)}, acc);
    for (int64_t c = 0; c < columns; ++c) std::memcpy(y + c * out.stride, acc + c * rows, stored);
  }
}

void run_panels(const ByteForm& bytes, const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
                const Output& out, std::byte* scratch) {
  const PanelForm form(bytes);
  const TileFn tile = tile_of(bytes);
  const Panel panel(scratch);
  const int64_t rows = rows_of_panel();
  for (int64_t row = begin; row < end; row += rows) {
    for (int64_t first = 0; first < w.k; first += kSlice) {
      const Slice slice{row, std::min(rows, end - row), first, std::min(kSlice, w.k - first)};
      fill_panel(form, w, slice, panel);
      multiply(tile, form, panel, slice, x, out);
    }
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(run_panels);
}  // namespace

uint64_t panel_scratch_bytes() { return Panel::kBytes; }

void panels(const ByteForm& form, const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
            const Output& out, std::byte* scratch) {
  HWY_DYNAMIC_DISPATCH(run_panels)(form, w, begin, end, x, out, scratch);
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
