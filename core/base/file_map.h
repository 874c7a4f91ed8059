// A file open for reading: bytes by offset, and its content mapped read-only on demand.
//
// Errors name the path and say what the system said in plain words. Opening costs the same for any
// size of file; mapping reserves addresses, not memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "core/base/result.h"

namespace aprx {

class FileMap {
 public:
  // Opens a regular file; anything else (a folder, a device, a pipe) is refused.
  static Result<std::unique_ptr<FileMap>> open(const std::string& path);
  ~FileMap();
  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Bytes when it was opened.
  [[nodiscard]] uint64_t size() const { return size_; }

  // Reads exactly data.size() bytes. Thread-safe.
  Result<void> read(uint64_t offset, std::span<std::byte> data) const;

  // `size` bytes from `offset` on, mapped. Refused where they aren't in the file now, which may have
  // shrunk since it was opened. Reading them after it shrinks raises SIGBUS. Thread-safe.
  Result<const std::byte*> map(uint64_t offset, uint64_t size);

  // Lets the system take back the memory of mapped bytes; they are read from the file when touched
  // again. Thread-safe.
  void release(uint64_t offset, uint64_t size) const;

 private:
  FileMap(std::string path, int descriptor, uint64_t size);
  Result<void> map_all();
  [[nodiscard]] Error error(std::string found) const;

  std::string path_;
  int descriptor_;
  uint64_t size_;
  std::mutex mapping_;
  std::atomic<std::byte*> data_ = nullptr;
};

}  // namespace aprx
