#include "tensors.h"

#include <algorithm>
#include <numeric>

#include "dtypes.h"
#include "utf8.h"

namespace aprx::gguf {

namespace {

constexpr uint64_t kMaxNameBytes = 65535;

void read_shape(HeaderBytes& header, Tensor& tensor) {
  const uint64_t rank_at = header.position();
  tensor.rank = header.next<uint32_t>("number of dimensions");
  if (tensor.rank == 0 || tensor.rank > kMaxRank) {
    header.fail("the number of dimensions at byte " + number(rank_at) + " is " + number(tensor.rank),
                "1 to 4");
  }
  const uint64_t dims_at = header.position();
  uint64_t elements = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    const uint64_t at = header.position();
    tensor.dims[i] = header.next<uint64_t>("dimensions");
    if (tensor.dims[i] == 0 || tensor.dims[i] > static_cast<uint64_t>(INT64_MAX)) {
      header.fail("the dimension at byte " + number(at) + " is " + number(tensor.dims[i]), "1 to 2^63 - 1");
    }
    if (__builtin_mul_overflow(elements, tensor.dims[i], &elements) ||
        elements > static_cast<uint64_t>(INT64_MAX)) {
      header.fail("the product of the dimensions at byte " + number(dims_at) + " is more than 2^63 - 1");
    }
  }
}

// Dimensions and type stand right before the offset.
uint64_t dims_at(const Tensor& tensor) {
  return tensor.offset_at - sizeof(uint32_t) - sizeof(uint64_t) * tensor.rank;
}

// Bytes of the tensor's data; its elements are known to fit 63 bits.
uint64_t data_size(HeaderBytes& header, const Tensor& tensor) {
  const TensorType type = tensor_type(tensor.type);
  if (type.status != APRX_DTYPE_KNOWN) return 0;
  const DTypeInfo& info = dtype_info(type.dtype);
  const auto block = static_cast<uint64_t>(info.block_elements);
  if (tensor.dims[0] % block != 0) {
    header.fail("the dimension at byte " + number(dims_at(tensor)) + ", the length of a row, is " +
                    number(tensor.dims[0]),
                "a multiple of " + number(block) + " for " + std::string(info.name));
  }
  uint64_t blocks = tensor.dims[0] / block;
  for (uint32_t i = 1; i < tensor.rank; ++i) blocks *= tensor.dims[i];
  uint64_t size = 0;
  if (__builtin_mul_overflow(blocks, static_cast<uint64_t>(info.block_bytes), &size)) {
    header.fail("the dimensions at byte " + number(dims_at(tensor)) + " give more than 2^64 bytes of data");
  }
  return size;
}

Tensor read_tensor(HeaderBytes& header, uint64_t index) {
  header.set_subject("tensor number " + number(index));
  Tensor tensor;
  tensor.name = header.next_text("tensor name", kMaxNameBytes);
  if (tensor.name.size == 0)
    header.fail("the tensor name at byte " + number(tensor.name.offset) + " is empty");
  if (!is_utf8(header.text(tensor.name))) {
    header.fail("the tensor name at byte " + number(tensor.name.offset) + " is not UTF-8");
  }
  header.set_subject(tensor_subject(header, tensor));
  read_shape(header, tensor);
  tensor.type = header.next<uint32_t>("type");
  tensor.offset_at = header.position();
  tensor.offset = header.next<uint64_t>("offset");
  tensor.size = data_size(header, tensor);
  return tensor;
}

void check_place(HeaderBytes& header, const Tensor& tensor, uint64_t data_start, uint64_t alignment) {
  header.set_subject(tensor_subject(header, tensor));
  const std::string offset =
      "the data offset at byte " + number(tensor.offset_at) + " is " + number(tensor.offset);
  if (tensor.offset % alignment != 0) {
    header.fail(offset, "a multiple of the alignment " + number(alignment));
  }
  constexpr const char* kHint = "the file may be truncated; download it again";
  const uint64_t data_bytes = header.file_size() - data_start;
  if (tensor.size > data_bytes) {
    header.fail("the dimensions at byte " + number(dims_at(tensor)) + " give " + number(tensor.size) +
                    " bytes of data, more than a file of " + number(header.file_size()) +
                    " bytes has from byte " + number(data_start) + " on",
                {}, kHint);
  }
  if (tensor.offset > data_bytes) {
    header.fail(offset + ", past the end of the file (" + number(header.file_size()) +
                    " bytes, the data section starts at " + number(data_start) + ")",
                {}, kHint);
  }
  if (tensor.size > data_bytes - tensor.offset) {
    header.fail(offset + ", so its " + number(tensor.size) + " bytes of data from byte " +
                    number(data_start + tensor.offset) + " on reach past the end of the file at byte " +
                    number(header.file_size()),
                {}, kHint);
  }
}

void refuse_overlaps(HeaderBytes& header, const std::vector<Tensor>& tensors) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Of two at one place the longer comes first, so that neighbours show every overlap.
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (tensors[a].offset != tensors[b].offset) return tensors[a].offset < tensors[b].offset;
    return tensors[a].size != tensors[b].size ? tensors[a].size > tensors[b].size : a < b;
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const Tensor& before = tensors[order[i - 1]];
    const Tensor& after = tensors[order[i]];
    if (before.size <= after.offset - before.offset) continue;
    // Of two that overlap, the one that stands later in the header is more likely the wrong one.
    const Tensor& wrong = before.offset_at > after.offset_at ? before : after;
    const Tensor& other = &wrong == &before ? after : before;
    header.set_subject(tensor_subject(header, wrong));
    header.fail("the data offset at byte " + number(wrong.offset_at) + " is " + number(wrong.offset) +
                ", where its data overlaps that of " + tensor_subject(header, other));
  }
}

}  // namespace

std::vector<Tensor> read_tensors(HeaderBytes& header, uint64_t count) {
  std::vector<Tensor> tensors;
  for (uint64_t i = 0; i < count; ++i) tensors.push_back(read_tensor(header, i));
  header.set_subject({});
  return tensors;
}

void check_layout(HeaderBytes& header, const std::vector<Tensor>& tensors, uint64_t data_start,
                  uint64_t alignment) {
  if (tensors.empty()) return;
  if (header.file_size() < data_start) {
    header.fail("truncated: the file ends at byte " + number(header.file_size()) +
                ", before the tensor data at byte " + number(data_start));
  }
  for (const Tensor& tensor : tensors) check_place(header, tensor, data_start, alignment);
  refuse_overlaps(header, tensors);
  header.set_subject({});
}

uint64_t data_end(const std::vector<Tensor>& tensors, uint64_t data_start) {
  uint64_t end = data_start;
  for (const Tensor& tensor : tensors) end = std::max(end, data_start + tensor.offset + tensor.size);
  return end;
}

}  // namespace aprx::gguf
