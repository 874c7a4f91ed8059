// Fuzzes the GGUF reader through the plugin's contract, with the input as the only file.
//   fuzz_gguf CORPUS_FOLDER
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "aprx/abi.h"

extern "C" const aprx_plugin aprx_plugin_v1;

namespace {

struct Input {
  const uint8_t* data;
  uint64_t size;
};

aprx_status open_input(void* self, const char*, uint32_t* index, uint64_t* size, aprx_error*) {
  *index = 0;
  *size = static_cast<Input*>(self)->size;
  return APRX_OK;
}

aprx_status read_input(void* self, uint32_t, uint64_t offset, void* data, uint64_t size, aprx_error*) {
  const auto& input = *static_cast<Input*>(self);
  if (offset > input.size || size > input.size - offset) std::abort();  // the reader must know the size
  if (size > 0) std::memcpy(data, input.data + offset, size);
  return APRX_OK;
}

// Reads every byte of a text, so that the sanitizers see a wrong pointer.
void touch(aprx_string text) {
  volatile char last = 0;
  for (uint64_t i = 0; i < text.size; ++i) last = text.data[i];
  static_cast<void>(last);
}

void walk_metadata(const aprx_format& format, void* self, void* model) {
  const uint64_t count = format.metadata_count(self, model);
  for (uint64_t i = 0; i < count; ++i) {
    aprx_string key{};
    aprx_value value{};
    value.struct_size = sizeof value;
    if (format.metadata(self, model, i, &key, &value) != APRX_OK) std::abort();
    touch(key);
    if (value.type == APRX_VALUE_STRING) touch(value.string);
    for (uint64_t item = 0; value.item_type != 0 && item < value.count; ++item) {
      aprx_value part{};
      part.struct_size = sizeof part;
      if (format.metadata_item(self, model, i, item, &part) != APRX_OK) std::abort();
      if (part.type == APRX_VALUE_STRING) touch(part.string);
    }
  }
}

void walk_tensors(const aprx_format& format, void* self, void* model, uint64_t file_size) {
  const uint64_t count = format.tensor_count(self, model);
  for (uint64_t i = 0; i < count; ++i) {
    aprx_file_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    if (format.tensor(self, model, i, &tensor) != APRX_OK) std::abort();
    touch(tensor.name);
    if (tensor.offset > file_size || tensor.size > file_size - tensor.offset) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input{data, size};
  const aprx_files files{sizeof(aprx_files), 0, &input, open_input, read_input};
  void* self = nullptr;
  const void* table = nullptr;
  aprx_error error{};
  error.struct_size = sizeof error;
  if (aprx_plugin_v1.open(nullptr, &self, &table, &error) != APRX_OK) std::abort();
  const auto& format = *static_cast<const aprx_format*>(table);
  void* model = nullptr;
  if (format.open(self, &files, "input.gguf", &model, &error) == APRX_OK) {
    walk_metadata(format, self, model);
    walk_tensors(format, self, model, size);
    format.close(self, model);
  } else if (error.found[0] == '\0') {
    std::abort();  // every refusal has a reason
  }
  aprx_plugin_v1.close(self);
  return 0;
}
