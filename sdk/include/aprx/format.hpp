// C++ wrapper for file formats: derive a model from FormatModel and a plugin from FormatPlugin, and
// export `aprx::format_plugin<Mine>("mine", "1.0")` as `aprx_plugin_v1`.
//
//   struct Mine : aprx::FormatPlugin {
//     uint32_t detect(std::string_view path, std::span<const uint8_t> head) const override;
//     std::unique_ptr<aprx::FormatModel> open(aprx::Files files, const std::string& path) override;
//   };
//   extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
//       aprx::format_plugin<Mine>("mine", "1.0");
//
// Fields of the C structs that the caller doesn't know are cut off here; indices that come from
// outside are checked here. Exceptions stop here: a FormatError becomes the call's status and text,
// any other one APRX_INTERNAL.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "aprx/abi.h"

namespace aprx {

// What is wrong with a file; thrown by a format plugin. Only `found` must not be empty.
struct FormatError {
  aprx_status status = APRX_BAD_FILE;
  std::string file;      // path concerned
  std::string subject;   // tensor, key or field concerned
  std::string found;     // what is wrong
  std::string expected;  // what would have been right, if that adds anything
  std::string hint;      // what helps, if anything
};

// The host's files: the plugin reads through them and never opens one itself. Failures are thrown
// as FormatError, in the host's words. Usable only while a model is being opened.
class Files {
 public:
  struct Opened {
    uint32_t index;  // numbers the files of a model from 0 on
    uint64_t size;   // bytes
  };

  explicit Files(const aprx_files* files) : files_(files) {}

  [[nodiscard]] Opened open(const std::string& path) const {
    Opened opened{};
    aprx_error error = empty_error();
    check(files_->open(files_->self, path.c_str(), &opened.index, &opened.size, &error), error);
    return opened;
  }

  // Reads exactly `size` bytes from `offset` on.
  void read(uint32_t index, uint64_t offset, void* data, uint64_t size) const {
    aprx_error error = empty_error();
    check(files_->read(files_->self, index, offset, data, size, &error), error);
  }

 private:
  static aprx_error empty_error() {
    aprx_error error{};
    error.struct_size = sizeof error;
    return error;
  }
  static void check(aprx_status status, const aprx_error& error) {
    if (status == APRX_OK) return;
    throw FormatError{status, error.file, error.subject, error.found, error.expected, error.hint};
  }

  const aprx_files* files_;
};

struct FormatEntry {
  std::string_view key;
  aprx_value value;
};

// One opened model: what its header says. Texts that it gives live as long as it does. Indices are
// below the counts when a function is called. Reading is thread-safe.
class FormatModel {
 public:
  FormatModel() = default;
  virtual ~FormatModel() = default;
  FormatModel(const FormatModel&) = delete;
  FormatModel& operator=(const FormatModel&) = delete;

  [[nodiscard]] virtual const char* scheme() const = 0;   // naming scheme of tensors and keys
  [[nodiscard]] virtual const char* version() const = 0;  // for people: "GGUF v3"
  [[nodiscard]] virtual const char* claim() const = 0;    // the quantization that the file says it is, or ""
  [[nodiscard]] virtual uint32_t file_count() const = 0;
  [[nodiscard]] virtual uint64_t metadata_count() const = 0;
  [[nodiscard]] virtual FormatEntry metadata(uint64_t index) const = 0;
  // Item `item` of the array at `index`; asked only for arrays that name an item type.
  [[nodiscard]] virtual aprx_value metadata_item(uint64_t index, uint64_t item) const = 0;
  [[nodiscard]] virtual uint64_t tensor_count() const = 0;
  [[nodiscard]] virtual aprx_file_tensor tensor(uint64_t index) const = 0;
  [[nodiscard]] virtual std::span<const std::string> warnings() const = 0;
};

class FormatPlugin {
 public:
  explicit FormatPlugin(const aprx_host* host) : host_(host) {}
  virtual ~FormatPlugin() = default;
  FormatPlugin(const FormatPlugin&) = delete;
  FormatPlugin& operator=(const FormatPlugin&) = delete;

  // 0 = not ours, 100 = certainly ours. `head` holds the first bytes of the file.
  [[nodiscard]] virtual uint32_t detect(std::string_view path, std::span<const uint8_t> head) const = 0;
  [[nodiscard]] virtual std::unique_ptr<FormatModel> open(Files files, const std::string& path) = 0;
  // Quantization recipes, the most usual first: what remedies for refused dtypes are made of.
  [[nodiscard]] virtual std::span<const aprx_recipe> recipes() const { return {}; }

  [[nodiscard]] const aprx_host* host() const { return host_; }

 private:
  const aprx_host* host_;
};

namespace format_border {

template <size_t N>
void put(char (&to)[N], std::string_view text) {
  const size_t size = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

inline void fill(aprx_error* error, const FormatError& from) {
  if (error == nullptr || error->struct_size < sizeof *error) return;
  put(error->file, from.file);
  put(error->subject, from.subject);
  put(error->found, from.found);
  put(error->expected, from.expected);
  put(error->hint, from.hint);
}

inline aprx_status fail(aprx_error* error, aprx_status status, const char* found) {
  fill(error, {status, {}, {}, found, {}, {}});
  return status;
}

template <typename Body>
aprx_status guarded(aprx_error* error, const Body& body) noexcept {
  try {
    body();
    return APRX_OK;
  } catch (const FormatError& e) {
    fill(error, e);
    return e.status;
  } catch (const std::bad_alloc&) {
    return fail(error, APRX_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return fail(error, APRX_INTERNAL, e.what());
  } catch (...) {
    return fail(error, APRX_INTERNAL, "an exception of unknown type");
  }
}

// Copies as much of `from` as the caller's struct holds; its size stays the caller's.
template <typename Struct>
void hand_over(const Struct& from, Struct* to) {
  const uint32_t size = to->struct_size;
  if (size < sizeof size) return;
  std::memcpy(static_cast<void*>(to), &from, std::min<size_t>(size, sizeof from));
  to->struct_size = size;
}

inline FormatPlugin* of(void* self) { return static_cast<FormatPlugin*>(self); }
inline const FormatModel& model_of(void* model) { return *static_cast<FormatModel*>(model); }

inline uint32_t detect(void* self, const char* path, const uint8_t* head, uint64_t head_size) {
  uint32_t score = 0;
  const aprx_status status =
      guarded(nullptr, [&] { score = of(self)->detect(path, {head, static_cast<size_t>(head_size)}); });
  return status == APRX_OK ? score : 0;
}
inline aprx_status open_model(void* self, const aprx_files* files, const char* path, void** model,
                              aprx_error* error) {
  return guarded(error, [&] { *model = of(self)->open(Files(files), path).release(); });
}
inline void close_model(void*, void* model) { delete static_cast<FormatModel*>(model); }
inline const char* scheme(void*, void* model) { return model_of(model).scheme(); }
inline const char* version(void*, void* model) { return model_of(model).version(); }
inline const char* claim(void*, void* model) { return model_of(model).claim(); }
inline uint32_t file_count(void*, void* model) { return model_of(model).file_count(); }
inline uint64_t metadata_count(void*, void* model) { return model_of(model).metadata_count(); }

inline aprx_status metadata(void*, void* model, uint64_t index, aprx_string* key, aprx_value* value) {
  if (index >= model_of(model).metadata_count()) return APRX_BAD_CALL;
  return guarded(nullptr, [&] {
    const FormatEntry entry = model_of(model).metadata(index);
    *key = {entry.key.data(), entry.key.size()};
    hand_over(entry.value, value);
  });
}
inline aprx_status metadata_item(void*, void* model, uint64_t index, uint64_t item, aprx_value* value) {
  if (index >= model_of(model).metadata_count()) return APRX_BAD_CALL;
  return guarded(nullptr, [&] { hand_over(model_of(model).metadata_item(index, item), value); });
}
inline uint64_t tensor_count(void*, void* model) { return model_of(model).tensor_count(); }
inline aprx_status tensor(void*, void* model, uint64_t index, aprx_file_tensor* tensor) {
  if (index >= model_of(model).tensor_count()) return APRX_BAD_CALL;
  return guarded(nullptr, [&] { hand_over(model_of(model).tensor(index), tensor); });
}
inline uint64_t warning_count(void*, void* model) { return model_of(model).warnings().size(); }
inline aprx_string warning(void*, void* model, uint64_t index) {
  const std::span<const std::string> warnings = model_of(model).warnings();
  if (index >= warnings.size()) return {nullptr, 0};
  return {warnings[index].data(), warnings[index].size()};
}
inline uint32_t recipe(void* self, uint32_t index, aprx_recipe* recipe) {
  const std::span<const aprx_recipe> recipes = of(self)->recipes();
  if (index >= recipes.size()) return 0;
  hand_over(recipes[index], recipe);
  return 1;
}

inline constexpr aprx_format kInterface = {sizeof(aprx_format),
                                           0,
                                           detect,
                                           open_model,
                                           close_model,
                                           scheme,
                                           version,
                                           claim,
                                           file_count,
                                           metadata_count,
                                           metadata,
                                           metadata_item,
                                           tensor_count,
                                           tensor,
                                           warning_count,
                                           warning,
                                           recipe};

template <typename T>
aprx_status open(const aprx_host* host, void** self, const void** interface, aprx_error* error) {
  return guarded(error, [&] {
    *self = static_cast<FormatPlugin*>(new T(host));
    *interface = &kInterface;
  });
}
inline void close(void* self) { delete of(self); }

}  // namespace format_border

// What a format exports as `aprx_plugin_v1`. T derives from FormatPlugin.
template <typename T>
constexpr aprx_plugin format_plugin(const char* name, const char* version) {
  return {sizeof(aprx_plugin),     APRX_ABI_MAJOR,       APRX_ABI_MINOR, APRX_KIND_FORMAT, 0, name, version,
          &format_border::open<T>, &format_border::close};
}

}  // namespace aprx
