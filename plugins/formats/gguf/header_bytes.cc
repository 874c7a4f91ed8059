#include "header_bytes.h"

#include <algorithm>

namespace aprx::gguf {

namespace {

constexpr uint64_t kStep = uint64_t{1} << 20U;

}  // namespace

HeaderBytes::HeaderBytes(Files files, std::string path, Files::Opened file)
    : files_(files), path_(std::move(path)), file_(file) {}

TextAt HeaderBytes::next_text(const char* what, uint64_t limit) {
  const uint64_t at = position_;
  const auto size = next<uint64_t>(what);
  if (size > remaining()) {
    fail("the length of the " + std::string(what) + " at byte " + number(at) + " is " + number(size) +
         ", the file ends at byte " + number(file_.size) + " (truncated?)");
  }
  if (size > limit) {
    fail("the length of the " + std::string(what) + " at byte " + number(at) + " is " + number(size),
         "at most " + number(limit));
  }
  require(size, what);
  const TextAt text{position_, size};
  position_ += size;
  return text;
}

void HeaderBytes::skip(uint64_t count, uint64_t item_bytes, const char* what) {
  if (count > remaining() / item_bytes) {
    fail("truncated: the file ends at byte " + number(file_.size) + ", inside the " + what);
  }
  require(count * item_bytes, what);
  position_ += count * item_bytes;
}

void HeaderBytes::require_room(const char* what, uint64_t count, uint64_t least_bytes, uint64_t at) const {
  if (count <= remaining() / least_bytes) return;
  fail("the " + std::string(what) + " at byte " + number(at) + " is " + number(count) +
       ", more than can follow in a file of " + number(file_.size) + " bytes (truncated?)");
}

void HeaderBytes::load_more(uint64_t size, const char* what) {
  if (size > remaining()) {
    fail("truncated: the file ends at byte " + number(file_.size) + ", inside the " + what);
  }
  if (size > kMaxHeaderBytes - std::min(position_, kMaxHeaderBytes)) {
    fail("the " + std::string(what) + " at byte " + number(position_) + " reaches past the first " +
             number(kMaxHeaderBytes) + " bytes of the file",
         "a header of at most that size");
  }
  const uint64_t loaded = bytes_.size();
  const uint64_t wanted = std::min(file_.size, std::max(position_ + size, loaded + kStep));
  // Doubling keeps the cost of moving linear in the header's size.
  if (wanted > bytes_.capacity()) bytes_.reserve(std::min(file_.size, std::max(wanted, 2 * loaded)));
  bytes_.resize(wanted);
  files_.read(file_.index, loaded, bytes_.data() + loaded, wanted - loaded);
}

void HeaderBytes::fail(std::string found, std::string expected, std::string hint) const {
  throw FormatError{APRX_BAD_FILE, path_, subject_, std::move(found), std::move(expected), std::move(hint)};
}

}  // namespace aprx::gguf
