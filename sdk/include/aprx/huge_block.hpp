// Anonymous memory on huge pages. A kernel that streams through hundreds of megabytes spends much of its time
// on address translation where pages have 4 KB, more so in a virtual machine. Source: Linux admin guide,
// mm/transhuge; madvise(2).
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <new>
#include <string>

namespace aprx {

// Whether the system gives huge pages to who asks for them.
inline bool huge_pages_usable() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;  // "always [madvise] never", the one in force in brackets
  return std::getline(file, modes) && modes.find("[never]") == std::string::npos;
}

// Zeroed memory that begins on a huge page. Pages are supplied when they are first touched, huge where that
// can be.
//
class HugeBlock {
 public:
  static constexpr uint64_t kPage = uint64_t{2} << 20U;

  // Throws std::bad_alloc.
  explicit HugeBlock(uint64_t size) : mapped_(rounded(size) + kPage), size_(size) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const start =
        size > kMost ? MAP_FAILED : ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<std::byte*>(start);
    data_ = start_ + (kPage - reinterpret_cast<uintptr_t>(start_) % kPage) % kPage;
    // A refusal leaves ordinary pages, which do as well.
    static_cast<void>(::madvise(data_, rounded(size), MADV_HUGEPAGE));
  }
  ~HugeBlock() { ::munmap(start_, mapped_); }
  HugeBlock(const HugeBlock&) = delete;
  HugeBlock& operator=(const HugeBlock&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] uint64_t size() const { return size_; }

 private:
  static constexpr uint64_t kMost = uint64_t{1} << 46U;
  static uint64_t rounded(uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

  uint64_t mapped_;
  uint64_t size_;
  std::byte* start_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace aprx
