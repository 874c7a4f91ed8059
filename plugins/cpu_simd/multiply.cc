#include "plugins/cpu_simd/multiply.h"

#include <algorithm>
#include <cassert>

#include "plugins/cpu_simd/act/int8_rows.h"
#include "plugins/cpu_simd/gemm/panels.h"
#include "plugins/cpu_simd/gemv/run_dots.h"
#ifdef APRX_WITH_ONEDNN
#include "plugins/cpu_simd/onednn/matmul.h"
#endif

namespace aprx::cpu {
namespace {

// Up to here a dot for each row of activations is faster than unpacking a panel.
constexpr int64_t kMostDots = 5;
// Decoded rows that are multiplied together; they should stay in the second level of cache.
constexpr int64_t kDecodedRows = 16;

#ifdef APRX_WITH_ONEDNN
bool by_onednn(int64_t tokens) { return tokens >= kOneDnnTokens && onednn_suits(float_vector_bytes()); }
#else
constexpr int64_t kOneDnnTokens = INT64_MAX;
constexpr int64_t kOneDnnRows = kDecodedRows;
constexpr bool by_onednn(int64_t) { return false; }
constexpr bool onednn_multiply_f32(const float*, int64_t, int64_t, const FloatRows&, const Output&) {
  return false;
}
#endif

// Less work than this isn't worth a task: bytes of weights for one row of activations, products for more.
constexpr int64_t kTaskBytes = 16384;
constexpr int64_t kTaskProducts = 262144;

uint64_t padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

uint64_t worker_bytes(const WeightFormat& format, int64_t tokens, int64_t k) {
  if (format.takes_int8()) return tokens > kMostDots ? panel_scratch_bytes() : 0;
  if (format.decode == nullptr || (tokens == 1 && format.float_dots != nullptr)) return 0;
  // Not by the target in use, which may change after the workspace was planned.
  const int64_t rows = tokens >= kOneDnnTokens ? kOneDnnRows : kDecodedRows;
  return padded(static_cast<uint64_t>(rows * k) * sizeof(float));
}

struct Call {
  std::span<const Product> products;
  FloatRows x;
  Int8Rows quantized;
  std::byte* worker_scratch;
  uint64_t worker_bytes;
};

// Weight rows begin .. end-1 by floats.
void multiply_floats(const Call& call, const Product& p, int64_t begin, int64_t end, std::byte* scratch) {
  if (call.x.rows == 1 && p.format.float_dots != nullptr) {
    p.format.float_dots(p.w, begin, end, call.x, p.out);
    return;
  }
  const bool onednn = by_onednn(call.x.rows);
  const int64_t most = onednn ? kOneDnnRows : kDecodedRows;
  for (int64_t first = begin; first < end; first += most) {
    const int64_t rows = std::min(most, end - first);
    const auto* floats = reinterpret_cast<const float*>(p.w.row(first));
    if (p.format.decode != nullptr) {
      auto* decoded = reinterpret_cast<float*>(scratch);
      p.format.decode(p.w.row(first), rows * p.w.k, decoded);
      floats = decoded;
    }
    const Output out{p.out.y + first, p.out.stride};
    if (onednn && onednn_multiply_f32(floats, rows, p.w.k, call.x, out)) continue;
    multiply_f32(floats, rows, p.w.k, call.x, out);
  }
}

void multiply_rows(const Call& call, const Product& p, int64_t begin, int64_t end, std::byte* scratch) {
  if (!p.format.takes_int8()) {
    multiply_floats(call, p, begin, end, scratch);
  } else if (call.x.rows > kMostDots) {
    panels(p.format.bytes, p.w, begin, end, call.quantized, p.out, scratch);
  } else if (p.format.dots != nullptr) {
    p.format.dots(p.w, begin, end, call.quantized, p.out);
  } else {
    dots_of_runs(p.format.bytes, p.w, begin, end, call.quantized, p.out);
  }
  if (p.bias == nullptr) return;
  for (int64_t t = 0; t < call.x.rows; ++t) {
    float* y = p.out.y + t * p.out.stride;
    for (int64_t r = begin; r < end; ++r) y[r] += p.bias[r];
  }
}

// Weight rows are dealt out in units: one row, or a panel of them.
int64_t units_of(const Product& p, int64_t unit_rows) { return (p.rows + unit_rows - 1) / unit_rows; }

// Units begin .. end-1 of all products one after the other.
void multiply_units(const Call& call, int64_t begin, int64_t end, int64_t unit_rows, uint32_t worker) {
  std::byte* scratch = call.worker_scratch + worker * call.worker_bytes;
  for (const Product& p : call.products) {
    const int64_t units = units_of(p, unit_rows);
    const int64_t first = std::clamp<int64_t>(begin, 0, units) * unit_rows;
    const int64_t last = std::min(std::clamp<int64_t>(end, 0, units) * unit_rows, p.rows);
    if (first < last) multiply_rows(call, p, first, last, scratch);
    begin -= units;
    end -= units;
  }
}

int64_t grain_of(std::span<const Product> products, int64_t tokens, int64_t unit_rows) {
  int64_t bytes = 1;
  int64_t rows = 1;
  for (const Product& p : products) {
    bytes += p.rows * p.w.row_bytes;
    rows += p.rows;
  }
  if (tokens == 1) return std::max<int64_t>(1, kTaskBytes * rows / bytes);
  const int64_t least = by_onednn(tokens) ? kOneDnnRows / unit_rows : 1;
  return std::max(least, kTaskProducts / (unit_rows * tokens * products.front().w.k));
}

}  // namespace

uint64_t multiply_scratch_bytes(std::span<const WeightFormat> formats, int64_t tokens, int64_t k,
                                uint32_t workers) {
  uint64_t shared = 0;
  uint64_t each = 0;
  for (const WeightFormat& format : formats) {
    if (format.takes_int8()) shared = Int8Rows::bytes(tokens, k);
    // One row of activations may need scratch that many rows don't, and the other way round.
    each = std::max({each, worker_bytes(format, tokens, k), worker_bytes(format, 1, k)});
  }
  return shared + each * workers;
}

void multiply(std::span<const Product> products, const FloatRows& x, std::span<std::byte> scratch,
              const Parallel& parallel) {
  if (x.rows == 0 || products.empty()) return;
  const int64_t k = products.front().w.k;
  Call call{products, x, {}, scratch.data(), 0};
  for (const Product& p : products) {
    call.worker_bytes = std::max(call.worker_bytes, worker_bytes(p.format, x.rows, k));
  }
  if (std::ranges::any_of(products, [](const Product& p) { return p.format.takes_int8(); })) {
    call.quantized = Int8Rows(scratch.data(), x.rows, k);
    call.worker_scratch += Int8Rows::bytes(x.rows, k);
    parallel.ranges(x.rows, std::max<int64_t>(1, kTaskBytes / k), [&](int64_t begin, int64_t end, uint32_t) {
      for (int64_t t = begin; t < end; ++t) quantize_row(x.row(t), k, call.quantized.row(t));
    });
  }
  assert(call.worker_scratch + parallel.workers() * call.worker_bytes <= scratch.data() + scratch.size());
  const int64_t unit_rows = x.rows == 1 ? 1 : kPanelRows;
  int64_t units = 0;
  for (const Product& p : products) units += units_of(p, unit_rows);
  parallel.ranges(units, grain_of(products, x.rows, unit_rows),
                  [&](int64_t begin, int64_t end, uint32_t worker) {
                    multiply_units(call, begin, end, unit_rows, worker);
                  });
}

}  // namespace aprx::cpu
