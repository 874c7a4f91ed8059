// A depthwise convolution on a block of channels, one vector lane a channel. Taps and state lie channel by
// channel; they are turned once a call, so that the loop over tokens reads whole vectors:
//
//   taps     [W][kChannels]    of conv [C, W]
//   history  [W−1][kChannels]  of conv_state [C, W−1], the inputs before the run, oldest first
#include "hwy/highway.h"
#include "plugins/cpu_simd/lanes-inl.h"
#include "plugins/cpu_simd/ops/causal_conv1d_block.h"

#if defined(APRX_CPU_SIMD_CAUSAL_CONV1D_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef APRX_CPU_SIMD_CAUSAL_CONV1D_INL_H_
#undef APRX_CPU_SIMD_CAUSAL_CONV1D_INL_H_
#else
#define APRX_CPU_SIMD_CAUSAL_CONV1D_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace aprx::cpu::HWY_NAMESPACE {
namespace {

// to[j][c] = from[c][j] for `channels` rows of `columns` values. Four and three columns, the usual ones, are
// taken apart by the machine's own interleaved loads.
void turn(const float* from, int64_t channels, int64_t columns, float* to) {
  const FloatTag d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kRow = ConvBlock::kChannels;
  auto a = hn::Zero(d), b = a, e = a, f = a;
  int64_t c = 0;
  for (; columns == 4 && c + step <= channels; c += step) {
    hn::LoadInterleaved4(d, from + c * 4, a, b, e, f);
    hn::StoreU(a, d, to + c);
    hn::StoreU(b, d, to + kRow + c);
    hn::StoreU(e, d, to + 2 * kRow + c);
    hn::StoreU(f, d, to + 3 * kRow + c);
  }
  for (; columns == 3 && c + step <= channels; c += step) {
    hn::LoadInterleaved3(d, from + c * 3, a, b, e);
    hn::StoreU(a, d, to + c);
    hn::StoreU(b, d, to + kRow + c);
    hn::StoreU(e, d, to + 2 * kRow + c);
  }
  for (; c < channels; ++c) {
    for (int64_t j = 0; j < columns; ++j) to[j * kRow + c] = from[c * columns + j];
  }
}

// The state after the run: the last W−1 inputs of each channel.
void keep_history(const ConvBlock& block) {
  const FloatTag d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  const int64_t columns = block.taps_count - 1;
  int64_t c = 0;
  if (columns == 3) {
    const float* oldest = block.input(block.tokens - 3);
    const float* middle = block.input(block.tokens - 2);
    const float* newest = block.input(block.tokens - 1);
    for (; c + step <= block.channels; c += step) {
      hn::StoreInterleaved3(hn::LoadU(d, oldest + c), hn::LoadU(d, middle + c), hn::LoadU(d, newest + c), d,
                            block.state + c * 3);
    }
  }
  for (; c < block.channels; ++c) {
    for (int64_t j = 0; j < columns; ++j) {
      block.state[c * columns + j] = block.input(block.tokens - columns + j)[c];
    }
  }
}

template <class Lanes>
HWY_INLINE Floats bias_at(const ConvBlock& block, size_t c, Lanes lanes) {
  return block.bias == nullptr ? hn::Zero(FloatTag()) : lanes.load(block.bias + c);
}

template <class Act>
void convolve_four_taps(const ConvBlock& block) {
  constexpr int64_t kRow = ConvBlock::kChannels;
  for (int64_t t = 0; t < block.tokens; ++t) {
    const float* x0 = block.input(t - 3);
    const float* x1 = block.input(t - 2);
    const float* x2 = block.input(t - 1);
    const float* x3 = block.input(t);
    float* y = block.y + t * block.y_stride;
    for_each_vector(static_cast<size_t>(block.channels), [&](size_t c, auto lanes) HWY_ATTR {
      Floats sum = bias_at(block, c, lanes);
      sum = hn::MulAdd(lanes.load(block.taps + c), lanes.load(x0 + c), sum);
      sum = hn::MulAdd(lanes.load(block.taps + kRow + c), lanes.load(x1 + c), sum);
      sum = hn::MulAdd(lanes.load(block.taps + 2 * kRow + c), lanes.load(x2 + c), sum);
      sum = hn::MulAdd(lanes.load(block.taps + 3 * kRow + c), lanes.load(x3 + c), sum);
      lanes.store(Act{}(FloatTag(), sum), y + c);
    });
  }
}

template <class Act>
void convolve_any_taps(const ConvBlock& block) {
  constexpr int64_t kRow = ConvBlock::kChannels;
  for (int64_t t = 0; t < block.tokens; ++t) {
    float* y = block.y + t * block.y_stride;
    for_each_vector(static_cast<size_t>(block.channels), [&](size_t c, auto lanes) HWY_ATTR {
      Floats sum = bias_at(block, c, lanes);
      for (int64_t j = 0; j < block.taps_count; ++j) {
        const float* x = block.input(t - block.taps_count + 1 + j);
        sum = hn::MulAdd(lanes.load(block.taps + j * kRow + c), lanes.load(x + c), sum);
      }
      lanes.store(Act{}(FloatTag(), sum), y + c);
    });
  }
}

}  // namespace
}  // namespace aprx::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // APRX_CPU_SIMD_CAUSAL_CONV1D_INL_H_
