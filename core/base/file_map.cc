#include "core/base/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace aprx {

namespace {

std::string system_words(int number) {
  switch (number) {
    case ENOENT: return "no such file";
    case EACCES: return "permission denied";
    case ELOOP: return "the path is a loop of symbolic links";
    case EMFILE: return "too many files are open";
    case ENAMETOOLONG: return "the path is too long";
    default: return std::error_code(number, std::generic_category()).message();
  }
}

// What `mode` is, if it isn't a regular file.
const char* kind_of(mode_t mode) {
  switch (mode & static_cast<mode_t>(S_IFMT)) {
    case S_IFREG: return nullptr;
    case S_IFDIR: return "is a directory";
    case S_IFCHR: return "is a character device";
    case S_IFBLK: return "is a block device";
    case S_IFIFO: return "is a pipe";
    default: return "is a socket or another special file";
  }
}

Error file_error(const std::string& path, std::string found) {
  return {.code = ErrorCode::kBadFile, .file = path, .found = std::move(found)};
}

}  // namespace

Result<std::unique_ptr<FileMap>> FileMap::open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) {
    Error error = file_error(path, system_words(errno));
    if (errno == EMFILE) error.hint = "raise the limit with `ulimit -n`";
    return error;
  }
  struct stat facts{};
  const int failed = ::fstat(descriptor, &facts);
  const char* kind = failed != 0 ? "can't be examined" : kind_of(facts.st_mode);
  if (kind != nullptr) {
    ::close(descriptor);
    Error error = file_error(path, kind);
    error.expected = "a regular file";
    return error;
  }
  // The superuser could read it all the same; its owner said that nobody should.
  if ((facts.st_mode & static_cast<mode_t>(S_IRUSR | S_IRGRP | S_IROTH)) == 0) {
    ::close(descriptor);
    Error error = file_error(path, "no permission: its mode lets nobody read it");
    error.hint = "`chmod u+r` lets its owner read it";
    return error;
  }
  return std::unique_ptr<FileMap>(new FileMap(path, descriptor, static_cast<uint64_t>(facts.st_size)));
}

FileMap::FileMap(std::string path, int descriptor, uint64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

FileMap::~FileMap() {
  if (data_ != nullptr) ::munmap(data_, size_);
  ::close(descriptor_);
}

Result<void> FileMap::read(uint64_t offset, std::span<std::byte> data) const {
  size_t done = 0;
  while (done < data.size()) {
    const uint64_t at = offset + done;
    if (at > static_cast<uint64_t>(INT64_MAX)) return error("read at byte " + std::to_string(at));
    const ssize_t got = ::pread(descriptor_, data.data() + done, data.size() - done, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error("can't be read at byte " + std::to_string(at) + ": " + system_words(errno));
    if (got == 0) {
      return error("truncated: the file ends at byte " + std::to_string(at) + ", " +
                   std::to_string(data.size() - done) + " more were wanted");
    }
    done += static_cast<size_t>(got);
  }
  return {};
}

Result<void> FileMap::map_all() {
  const std::lock_guard lock(mapping_);
  if (data_ != nullptr) return {};
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (data == MAP_FAILED) {  // NOLINT(performance-no-int-to-ptr)
    return error("can't be mapped: " + system_words(errno));
  }
  data_ = static_cast<std::byte*>(data);
  return {};
}

Result<const std::byte*> FileMap::map(uint64_t offset, uint64_t size) {
  struct stat facts{};
  const bool known = ::fstat(descriptor_, &facts) == 0;
  const uint64_t now = known ? std::min(size_, static_cast<uint64_t>(facts.st_size)) : size_;
  if (offset > now || size > now - offset) {
    return error("data ends at byte " + std::to_string(offset + size) + ", the file has " +
                 std::to_string(now) + " bytes" + (now < size_ ? ": it shrank after it was opened" : ""));
  }
  if (data_ == nullptr) {
    if (const Result<void> mapped = map_all(); !mapped) return mapped.error();
  }
  return static_cast<const std::byte*>(data_.load() + offset);
}

void FileMap::release(uint64_t offset, uint64_t size) const {
  std::byte* data = data_;
  if (data == nullptr || offset > size_ || size > size_ - offset) return;
  // Only whole pages, so that neighbours keep theirs.
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t first = (offset + page - 1) / page * page;
  const uint64_t last = (offset + size) / page * page;
  if (first < last) ::madvise(data + first, last - first, MADV_DONTNEED);
}

Error FileMap::error(std::string found) const { return file_error(path_, std::move(found)); }

}  // namespace aprx
