#include "file.h"

#include <bit>
#include <cstdio>

namespace aprx::gguf {

namespace {

constexpr uint32_t kMagic = 0x4655'4747;  // "GGUF"
constexpr const char* kAlignmentKey = "general.alignment";
constexpr uint64_t kDefaultAlignment = 32;
// The specification asks for a multiple of 8; more than a huge page has no use and pushes the data
// section out of any sensible file.
constexpr uint64_t kLeastAlignment = 8;
constexpr uint64_t kMostAlignment = uint64_t{1} << 24U;

void check_magic(HeaderBytes& header) {
  const auto magic = header.next<uint32_t>("magic");
  if (magic == kMagic) return;
  char bytes[12];
  std::snprintf(bytes, sizeof bytes, "%02x %02x %02x %02x", magic & 0xFFU, magic >> 8U & 0xFFU,
                magic >> 16U & 0xFFU, magic >> 24U);
  header.fail("not a GGUF file: the magic at byte 0 is " + std::string(bytes), "47 47 55 46 (GGUF)");
}

uint32_t read_version(HeaderBytes& header) {
  const auto version = header.next<uint32_t>("version");
  if (version == 2 || version == 3) return version;
  const uint32_t swapped = __builtin_bswap32(version);
  if (swapped >= 1 && swapped <= 3) {
    header.fail("the version at byte 4 is " + number(swapped) + " in big-endian byte order",
                "a little-endian file", "convert the model again for a little-endian machine");
  }
  header.fail("the version at byte 4 is " + number(version), "version 2 or 3",
              version < 2 ? "convert the model again with a current converter" : "");
}

uint64_t read_alignment(HeaderBytes& header, const std::vector<Entry>& entries) {
  const uint64_t alignment = unsigned_of(header, entries, kAlignmentKey).value_or(kDefaultAlignment);
  if (std::has_single_bit(alignment) && alignment >= kLeastAlignment && alignment <= kMostAlignment) {
    header.set_subject({});
    return alignment;
  }
  header.set_subject("key " + std::string(kAlignmentKey));
  header.fail("the value at byte " + number(find(header, entries, kAlignmentKey)->offset) + " is " +
                  number(alignment),
              "a power of two from " + number(kLeastAlignment) + " to " + number(kMostAlignment));
}

// Bytes after the data are harmless; more of them than padding explains are worth a word.
void note_trailing_bytes(File& file, uint64_t alignment) {
  for (const Tensor& tensor : file.tensors) {
    if (tensor.size == 0) return;
  }
  const uint64_t end = data_end(file.tensors, file.data_start);
  if (file.header.file_size() < end || file.header.file_size() - end < alignment) return;
  file.metadata.warnings.push_back("the file has " + number(file.header.file_size() - end) +
                                   " bytes after the data of its last tensor");
}

}  // namespace

File read_file(Files files, const std::string& path) {
  File file{HeaderBytes(files, path, files.open(path)), 0, {}, {}, 0};
  HeaderBytes& header = file.header;
  check_magic(header);
  file.version = read_version(header);
  const uint64_t tensor_count_at = header.position();
  const auto tensor_count = header.next<uint64_t>("tensor count");
  const auto pair_count = header.next<uint64_t>("key-value count");
  header.require_room("tensor count", tensor_count, kLeastTensorBytes, tensor_count_at);
  file.metadata = read_metadata(header, pair_count);
  const uint64_t alignment = read_alignment(header, file.metadata.entries);
  file.tensors = read_tensors(header, tensor_count);
  file.data_start = (header.position() + alignment - 1) / alignment * alignment;
  check_layout(header, file.tensors, file.data_start, alignment);
  note_trailing_bytes(file, alignment);
  return file;
}

}  // namespace aprx::gguf
