#include "plugins/cpu_simd/gemv/run_dots.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plugins/cpu_simd/gemv/run_dots.cc"
#include "plugins/cpu_simd/kernel_file-inl.h"

#include "plugins/cpu_simd/gemv/dot4-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// A vector holds at most the 32 weights that share a scale of the activations.
using D8 = hn::CappedTag<uint8_t, 32>;
using DI8 = hn::RebindToSigned<D8>;
using D32 = hn::Repartition<int32_t, D8>;
using D16 = hn::Repartition<int16_t, D8>;
using DF = hn::RebindToFloat<D32>;
using VF = hn::Vec<DF>;

constexpr int64_t kColumns = 8;  // rows of activations that a run meets

// The sum so far of one row of activations; two vectors, so that one addition needn't wait for the last.
struct Sums {
  HWY_ALIGN float even[8];
  HWY_ALIGN float odd[8];
};

// `count` floats that lie ahead, which may be fewer than a vector.
HWY_INLINE VF load_some(const float* p, size_t count) {
  const DF df;
  return HWY_LIKELY(count >= hn::Lanes(df)) ? hn::LoadU(df, p) : hn::LoadN(df, p, count);
}

// Σ q of half `half` of each of `count` blocks of activations.
HWY_INLINE VF half_sums(const int16_t* sum16, size_t count, int half) {
  const DF df;
  const D32 d32;
  const D16 d16;
  const auto pairs = hn::BitCast(
      d32, HWY_LIKELY(count >= hn::Lanes(df)) ? hn::LoadU(d16, sum16) : hn::LoadN(d16, sum16, 2 * count));
  return hn::ConvertTo(df, hn::ShiftRight<16>(half == 0 ? hn::ShiftLeft<16>(pairs) : pairs));
}

// The scales of both sides for each group of a run, and sum − (scale · offset + min) · Σ x.
template <int kGroup, bool kSigned>
HWY_INLINE VF group_factors(const Run& run, size_t blocks, const ByteForm& form, const Int8Row& x,
                            float (&factor)[2][Run::kBlocks], VF sum) {
  const DF df;
  for (size_t b = 0; b < blocks; b += hn::Lanes(df)) {
    const size_t left = blocks - b;
    const auto scale_x = load_some(x.scale + b, left);
    for (int h = 0; h < 32 / kGroup; ++h) {
      const auto scale = load_some(run.scale[h] + b, left);
      hn::StoreU(hn::Mul(scale, scale_x), df, factor[h] + b);
      if constexpr (!kSigned) {
        const auto min = form.has_min ? load_some(run.min[h] + b, left)
                                      : hn::Mul(scale, hn::Set(df, static_cast<float>(form.offset)));
        const auto sum_x =
            kGroup == 32 ? load_some(x.sum + b, left) : hn::Mul(scale_x, half_sums(x.sum16 + 2 * b, left, h));
        sum = hn::NegMulAdd(min, sum_x, sum);
      }
    }
  }
  return sum;
}

template <bool kSigned>
HWY_INLINE hn::Vec<D32> products(const uint8_t* q, const int8_t* x, hn::Vec<D32> sum) {
  const auto w = hn::LoadU(D8(), q);
  const auto xs = hn::LoadU(DI8(), x);
  if constexpr (kSigned) {
    return dot4_signed(D32(), hn::BitCast(DI8(), w), xs, sum);
  } else {
    return dot4(D32(), w, xs, sum);
  }
}

// Adds the products of 32 weights.
template <int kGroup, bool kSigned>
HWY_INLINE VF add_block(const uint8_t* q, const int8_t* x, const float (&factor)[2][Run::kBlocks],
                        int64_t block, VF sum) {
  const D32 d32;
  const DF df;
  const size_t n = hn::Lanes(D8());
  q += 32 * block;
  x += 32 * block;
  if constexpr (kGroup == 32) {
    auto dot = hn::Zero(d32);
    for (size_t i = 0; i < 32; i += n) dot = products<kSigned>(q + i, x + i, dot);
    return hn::MulAdd(hn::ConvertTo(df, dot), hn::Set(df, factor[0][block]), sum);
  }
  const auto first = hn::Set(df, factor[0][block]);
  const auto second = hn::Set(df, factor[1][block]);
  if (n == 32) {
    const auto dot = hn::ConvertTo(df, products<kSigned>(q, x, hn::Zero(d32)));
    return hn::MulAdd(dot, hn::IfThenElse(hn::FirstN(df, 4), first, second), sum);
  }
  sum = hn::MulAdd(hn::ConvertTo(df, products<kSigned>(q, x, hn::Zero(d32))), first, sum);
  return hn::MulAdd(hn::ConvertTo(df, products<kSigned>(q + 16, x + 16, hn::Zero(d32))), second, sum);
}

template <int kGroup, bool kSigned>
HWY_INLINE void add_run(const Run& run, int64_t blocks, const ByteForm& form, const Int8Row& x, Sums& sums) {
  const DF df;
  HWY_ALIGN float factor[2][Run::kBlocks];
  auto odd = hn::Load(df, sums.odd);
  auto even = group_factors<kGroup, kSigned>(run, static_cast<size_t>(blocks), form, x, factor,
                                             hn::Load(df, sums.even));
  int64_t b = 0;
  for (; b + 2 <= blocks; b += 2) {
    even = add_block<kGroup, kSigned>(run.q, x.q, factor, b, even);
    odd = add_block<kGroup, kSigned>(run.q, x.q, factor, b + 1, odd);
  }
  if (b < blocks) even = add_block<kGroup, kSigned>(run.q, x.q, factor, b, even);
  hn::Store(even, df, sums.even);
  hn::Store(odd, df, sums.odd);
}

HWY_INLINE Int8Row from(const Int8Row& x, int64_t first) {
  return {x.q + first, x.scale + first / kActBlock, x.sum + first / kActBlock, x.sum16 + first / 16};
}

// One weight row with rows t .. t + columns − 1 of `x`.
template <int kGroup, bool kSigned>
HWY_INLINE void dot_row(const ByteForm& form, UnpackFn unpack, const uint8_t* w, const Int8Rows& x, int64_t t,
                        int64_t columns, float* y, int64_t stride) {
  const DF df;
  const int64_t run_bytes = form.run_bytes();
  Run run;
  Sums sums[kColumns];
  for (int64_t c = 0; c < columns; ++c) {
    hn::Store(hn::Zero(df), df, sums[c].even);
    hn::Store(hn::Zero(df), df, sums[c].odd);
  }
  for (int64_t first = 0; first < x.k(); first += Run::kMost, w += run_bytes) {
    const int64_t elements = std::min(Run::kMost, x.k() - first);
    prefetch_ahead(w, run_bytes);
    unpack(w, elements, run);
    for (int64_t c = 0; c < columns; ++c) {
      add_run<kGroup, kSigned>(run, elements / 32, form, from(x.row(t + c), first), sums[c]);
    }
  }
  for (int64_t c = 0; c < columns; ++c) {
    y[c * stride] = hn::ReduceSum(df, hn::Add(hn::Load(df, sums[c].even), hn::Load(df, sums[c].odd)));
  }
}

template <int kGroup, bool kSigned>
void dot_rows(const ByteForm& form, const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
              const Output& out) {
  const UnpackFn unpack = form.unpacker(form.dtype);
  for (int64_t r = begin; r < end; ++r) {
    for (int64_t t = 0; t < x.rows(); t += kColumns) {
      dot_row<kGroup, kSigned>(form, unpack, w.row(r), x, t, std::min(kColumns, x.rows() - t),
                               out.y + t * out.stride + r, out.stride);
    }
  }
}

void run_dots(const ByteForm& form, const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
              const Output& out) {
  if (form.range == ByteRange::kSigned) {
    dot_rows<32, true>(form, w, begin, end, x, out);
  } else if (form.group == 32) {
    dot_rows<32, false>(form, w, begin, end, x, out);
  } else {
    dot_rows<16, false>(form, w, begin, end, x, out);
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aprx::cpu {
namespace {
HWY_EXPORT(run_dots);
}  // namespace

void dots_of_runs(const ByteForm& form, const PackedRows& w, int64_t begin, int64_t end, const Int8Rows& x,
                  const Output& out) {
  HWY_DYNAMIC_DISPATCH(run_dots)(form, w, begin, end, x, out);
}

}  // namespace aprx::cpu
#endif  // HWY_ONCE
