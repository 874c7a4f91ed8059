#include "runtime/check/values_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "aprx/dtype/decode.hpp"

namespace aprx {

namespace {

// Multiples of every dtype's block. One thread decodes a piece, a step at a time into a buffer of its own.
constexpr int64_t kStep = 4096;
constexpr int64_t kPiece = 64 * kStep;
constexpr int64_t kPiecesAtOnce = 64;

struct Bad {
  uint64_t not_a_number = 0;
  uint64_t infinite = 0;
  uint64_t absurd = 0;
  int64_t first = -1;  // index in the tensor; -1: none
  float first_value = 0;

  [[nodiscard]] uint64_t count() const { return not_a_number + infinite + absurd; }
};

constexpr uint32_t magnitude_bits(float value) { return std::bit_cast<uint32_t>(value) & 0x7FFF'FFFFU; }

// The magnitudes of floats order like their bits, NaN above infinity above all.
bool is_bad(float value) { return magnitude_bits(value) > magnitude_bits(kMostMagnitude); }

void note(Bad& bad, int64_t at, float value) {
  if (std::isnan(value)) {
    ++bad.not_a_number;
  } else if (std::isinf(value)) {
    ++bad.infinite;
  } else {
    ++bad.absurd;
  }
  if (bad.first < 0) {
    bad.first = at;
    bad.first_value = value;
  }
}

// Rows fill their blocks, so a tensor is one run of blocks, whatever its shape.
struct Run {
  DType dtype;
  const uint8_t* data;
  int64_t elements;
};

Bad scan_piece(const Run& run, int64_t begin) {
  Bad bad;
  std::array<float, kStep> values;
  const DecodeFn decode = decoder(run.dtype);
  const int64_t end = std::min(run.elements, begin + kPiece);
  for (int64_t at = begin; at < end; at += kStep) {
    const int64_t count = std::min(kStep, end - at);
    decode(run.data + row_bytes(run.dtype, at), count, values.data());
    const std::span<const float> decoded(values.data(), static_cast<size_t>(count));
    uint32_t largest = 0;
    for (const float value : decoded) largest = std::max(largest, magnitude_bits(value));
    if (largest <= magnitude_bits(kMostMagnitude)) continue;
    for (int64_t i = 0; i < count; ++i) {
      if (is_bad(values[static_cast<size_t>(i)])) note(bad, at + i, values[static_cast<size_t>(i)]);
    }
  }
  return bad;
}

void add(Bad& sum, const Bad& part) {
  sum.not_a_number += part.not_a_number;
  sum.infinite += part.infinite;
  sum.absurd += part.absurd;
  if (sum.first >= 0 || part.first < 0) return;
  sum.first = part.first;
  sum.first_value = part.first_value;
}

bool is_integer(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI32 || dtype == DType::kI64;
}

int64_t elements_of(const FileTensor& tensor) {
  int64_t count = 1;
  for (const int64_t axis : tensor.shape) count *= axis;
  return count;
}

// "[3, 17]", outermost axis first.
std::string place_text(int64_t index, const std::vector<int64_t>& shape) {
  std::string out;
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis]) {
    out = std::to_string(index % shape[axis]) + (out.empty() ? "" : ", ") + out;
  }
  return "[" + out + "]";
}

std::string value_text(float value) { return std::isnan(value) ? "NaN" : fmt::format("{}", value); }

Error bad_values(const ModelFile& file, const FileTensor& tensor, const Bad& bad) {
  std::string kinds;
  const auto kind = [&](uint64_t count, const char* word) {
    if (count > 0) kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, word);
  };
  kind(bad.not_a_number, "NaN");
  kind(bad.infinite, "infinite");
  kind(bad.absurd, "absurdly large");
  return {.code = ErrorCode::kBadFile,
          .file = file.paths()[tensor.file],
          .subject = "tensor " + tensor.name,
          .found = fmt::format("{} of {} values ({}), the first, {}, at {}", kinds, elements_of(tensor),
                               tensor.dtype_name, value_text(bad.first_value),
                               place_text(bad.first, tensor.shape)),
          .expected = fmt::format("finite values of at most {} in magnitude", kMostMagnitude),
          .hint = "the file is damaged: get it again, or another build of the model"};
}

class Scan {
 public:
  Scan(const ModelFile& file, const CheckContext& context) : file_(file), context_(context) {}

  Gate run() {
    for (const FileTensor& tensor : file_.tensors()) {
      if (is_decodable(tensor)) total_ += tensor.size;
    }
    for (const FileTensor& tensor : file_.tensors()) {
      if (context_.cancelled) break;
      look_at(tensor);
    }
    return result();
  }

 private:
  [[nodiscard]] static bool is_decodable(const FileTensor& tensor) {
    return tensor.status == DTypeStatus::kKnown && decoder(tensor.dtype) != nullptr &&
           !is_integer(tensor.dtype);
  }

  void look_at(const FileTensor& tensor) {
    if (tensor.status == DTypeStatus::kKnown && is_integer(tensor.dtype)) return;
    if (!is_decodable(tensor)) {
      if (not_decoded_++ == 0) first_not_decoded_ = &tensor;
      return;
    }
    auto data = file_.data(tensor);
    if (!data) {
      findings_.push_back(data.error());
      return;
    }
    const Run run = {tensor.dtype, reinterpret_cast<const uint8_t*>(*data), elements_of(tensor)};
    const Bad bad = scan(run);
    file_.release(tensor, tensor.size);
    values_ += static_cast<uint64_t>(run.elements);
    if (bad.count() > 0) findings_.push_back(bad_values(file_, tensor, bad));
  }

  Bad scan(const Run& run) {
    Bad sum;
    std::array<Bad, kPiecesAtOnce> parts;
    for (int64_t begin = 0; begin < run.elements && !context_.cancelled; begin += kPiecesAtOnce * kPiece) {
      const int64_t end = std::min(run.elements, begin + kPiecesAtOnce * kPiece);
      const auto pieces = static_cast<uint32_t>((end - begin + kPiece - 1) / kPiece);
      context_.each(pieces, [&](uint32_t piece) { parts[piece] = scan_piece(run, begin + piece * kPiece); });
      for (uint32_t piece = 0; piece < pieces; ++piece) add(sum, parts[piece]);
      done_ += static_cast<uint64_t>(row_bytes(run.dtype, end) - row_bytes(run.dtype, begin));
      context_.tell("scanning", done_, total_);
    }
    return sum;
  }

  Gate result() {
    if (!findings_.empty()) return broken(kValuesGate, std::move(findings_));
    if (context_.cancelled) return not_measured(kValuesGate, kInterruptedReason);
    if (not_decoded_ > 0) {
      return not_measured(kValuesGate, fmt::format("{} of {} tensors can't be decoded, the first {} ({})",
                                                   not_decoded_, file_.tensors().size(),
                                                   first_not_decoded_->name, first_not_decoded_->dtype_name));
    }
    if (file_.tensors().empty()) return not_measured(kValuesGate, "the file has no tensors");
    return held(kValuesGate,
                fmt::format("{} values, all finite, none above {} in magnitude", values_, kMostMagnitude));
  }

  const ModelFile& file_;
  const CheckContext& context_;
  std::vector<Error> findings_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  uint64_t values_ = 0;
  size_t not_decoded_ = 0;
  const FileTensor* first_not_decoded_ = nullptr;
};

}  // namespace

Gate check_values(const ModelFile& file, const CheckContext& context) { return Scan(file, context).run(); }

}  // namespace aprx
