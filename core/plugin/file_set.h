// The files of one model, as a format plugin opens and reads them through the host.
#pragma once

#include <memory>
#include <vector>

#include "aprx/abi.h"
#include "core/base/file_map.h"

namespace aprx {

// Files stay open as long as it lives. Opening is for one thread at a time.
class FileSet {
 public:
  FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  // What the plugin gets; errors carry the host's own words.
  [[nodiscard]] const aprx_files* table() const { return &table_; }
  [[nodiscard]] const std::vector<std::unique_ptr<FileMap>>& files() const { return files_; }

 private:
  static aprx_status open(void* self, const char* path, uint32_t* index, uint64_t* size, aprx_error* error);
  static aprx_status read(void* self, uint32_t index, uint64_t offset, void* data, uint64_t size,
                          aprx_error* error);

  std::vector<std::unique_ptr<FileMap>> files_;
  aprx_files table_;
};

}  // namespace aprx
