#include "core/plugin/file_set.h"

#include "core/plugin/plugin_call.h"

namespace aprx {

namespace {

aprx_status give(aprx_error* to, aprx_status status, const Error& from) {
  if (to == nullptr || to->struct_size < sizeof *to) return status;
  put_text(to->file, from.file);
  put_text(to->subject, from.subject);
  put_text(to->found, from.found);
  put_text(to->expected, from.expected);
  put_text(to->hint, from.hint);
  return status;
}

}  // namespace

FileSet::FileSet() : table_{sizeof(aprx_files), 0, this, &FileSet::open, &FileSet::read} {}

aprx_status FileSet::open(void* self, const char* path, uint32_t* index, uint64_t* size, aprx_error* error) {
  auto& files = static_cast<FileSet*>(self)->files_;
  auto file = FileMap::open(path);
  if (!file) return give(error, APRX_BAD_FILE, file.error());
  *index = static_cast<uint32_t>(files.size());
  *size = (*file)->size();
  files.push_back(std::move(file).value());
  return APRX_OK;
}

aprx_status FileSet::read(void* self, uint32_t index, uint64_t offset, void* data, uint64_t size,
                          aprx_error* error) {
  const auto& files = static_cast<FileSet*>(self)->files_;
  if (index >= files.size()) {
    return give(error, APRX_BAD_CALL, {.found = "the plugin reads a file that it did not open"});
  }
  const auto done = files[index]->read(offset, {static_cast<std::byte*>(data), static_cast<size_t>(size)});
  return done ? APRX_OK : give(error, APRX_BAD_FILE, done.error());
}

}  // namespace aprx
