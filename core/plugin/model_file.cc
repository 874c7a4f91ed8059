#include "core/plugin/model_file.h"

#include "core/plugin/format.h"
#include "core/plugin/plugin_call.h"

namespace aprx {

namespace {

std::string_view view_of(aprx_string text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

std::string word_of(const char* text) { return text == nullptr ? "" : text; }

DTypeStatus status_of(uint32_t status) {
  switch (status) {
    case APRX_DTYPE_KNOWN: return DTypeStatus::kKnown;
    case APRX_DTYPE_RETIRED: return DTypeStatus::kRetired;
    default: return DTypeStatus::kUnknown;
  }
}

FileTensor tensor_of(const aprx_file_tensor& from) {
  FileTensor tensor;
  tensor.name = view_of(from.name);
  tensor.status = status_of(from.dtype_status);
  if (tensor.status == DTypeStatus::kKnown) tensor.dtype = static_cast<DType>(from.dtype);
  tensor.file_dtype = from.file_dtype;
  tensor.dtype_name = text_of(from.dtype_name);
  tensor.shape.assign(from.shape, from.shape + from.rank);
  tensor.file = from.file;
  tensor.offset = from.offset;
  tensor.size = from.size;
  return tensor;
}

std::string subject_of(std::string_view tensor) { return "tensor " + std::string(tensor); }

}  // namespace

ModelFile::ModelFile(const Format& format, std::string path) : format_(format), path_(std::move(path)) {}

ModelFile::~ModelFile() {
  if (model_ == nullptr) return;
  aprx_error error = empty_plugin_error();
  static_cast<void>(call_plugin(error, [&] {
    format_.table().close(format_.self(), model_);
    return APRX_OK;
  }));
}

Result<std::unique_ptr<ModelFile>> ModelFile::open(const Format& format, const std::string& path) {
  std::unique_ptr<ModelFile> file(new ModelFile(format, path));
  if (auto done = file->open_model(); !done) return done.error();
  if (auto done = file->read_metadata(); !done) return done.error();
  if (auto done = file->read_tensors(); !done) return done.error();
  file->read_warnings();
  file->read_recipes();
  return file;
}

Result<void> ModelFile::open_model() {
  const aprx_format& table = format_.table();
  aprx_error error = empty_plugin_error();
  const aprx_status status = call_plugin(error, [&] {
    const aprx_status opened = table.open(format_.self(), files_.table(), path_.c_str(), &model_, &error);
    if (opened != APRX_OK || model_ == nullptr) return opened;
    scheme_ = word_of(table.scheme(format_.self(), model_));
    version_ = word_of(table.version(format_.self(), model_));
    claim_ = word_of(table.claim(format_.self(), model_));
    return opened;
  });
  if (status == APRX_OK && model_ == nullptr) return plugin_error("the format plugin opened nothing");
  if (status == APRX_OK) return {};
  const ErrorCode code = status == APRX_OUT_OF_MEMORY ? ErrorCode::kLimit
                         : status == APRX_BAD_FILE    ? ErrorCode::kBadFile
                                                      : ErrorCode::kPlugin;
  Error out = error_from_plugin(code, status, error);
  if (out.file.empty()) out.file = path_;
  return out;
}

Result<void> ModelFile::check_tensor(const aprx_file_tensor& tensor) const {
  if (tensor.rank == 0 || tensor.rank > APRX_MAX_RANK || tensor.file >= files_.files().size()) {
    return plugin_error("the format plugin gave a rank or file number that can't be");
  }
  const uint64_t file_size = files_.files()[tensor.file]->size();
  const bool fits = tensor.offset <= file_size && tensor.size <= file_size - tensor.offset;
  if (!fits) return plugin_error("the format plugin gave data outside the file");
  const bool is_known = tensor.dtype_status == APRX_DTYPE_KNOWN;
  if (is_known && (tensor.dtype == APRX_DTYPE_UNKNOWN || tensor.dtype >= APRX_DTYPE_COUNT)) {
    return plugin_error("the format plugin gave dtype " + std::to_string(tensor.dtype) + ", which can't be");
  }
  return {};
}

Result<void> ModelFile::read_tensors() {
  const aprx_format& table = format_.table();
  const uint64_t count = table.tensor_count(format_.self(), model_);
  for (uint64_t i = 0; i < count; ++i) {
    aprx_file_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    if (table.tensor(format_.self(), model_, i, &tensor) != APRX_OK) {
      return plugin_error("the format plugin can't describe tensor number " + std::to_string(i));
    }
    if (auto checked = check_tensor(tensor); !checked) {
      checked.error().subject = subject_of(view_of(tensor.name));
      return checked.error();
    }
    tensors_.push_back(tensor_of(tensor));
  }
  tensor_index_.reserve(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); ++i) tensor_index_.emplace(tensors_[i].name, i);
  return {};
}

void ModelFile::read_recipes() {
  aprx_recipe recipe{};
  recipe.struct_size = sizeof recipe;
  for (uint32_t i = 0; format_.table().recipe(format_.self(), i, &recipe) != 0; ++i) {
    Recipe& out = recipes_.emplace_back();
    out.name = recipe.name;
    for (uint32_t k = 0; k < std::min<size_t>(recipe.matrix_count, std::size(recipe.matrices)); ++k) {
      out.matrices.push_back(static_cast<DType>(recipe.matrices[k]));
      out.narrow.push_back(static_cast<DType>(recipe.narrow[k]));
    }
  }
}

void ModelFile::read_warnings() {
  const aprx_format& table = format_.table();
  const uint64_t count = table.warning_count(format_.self(), model_);
  for (uint64_t i = 0; i < count; ++i) {
    warnings_.push_back(printable(std::string(view_of(table.warning(format_.self(), model_, i)))));
  }
}

std::vector<std::string> ModelFile::paths() const {
  std::vector<std::string> paths;
  for (const auto& file : files_.files()) paths.push_back(file->path());
  return paths;
}

const FileTensor* ModelFile::find_tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

Result<const std::byte*> ModelFile::data(const FileTensor& tensor) const {
  auto data = files_.files()[tensor.file]->map(tensor.offset, tensor.size);
  if (!data) data.error().subject = subject_of(tensor.name);
  return data;
}

void ModelFile::release(const FileTensor& tensor, uint64_t bytes) const {
  files_.files()[tensor.file]->release(tensor.offset, bytes);
}

Error ModelFile::plugin_error(std::string found) const {
  return {.code = ErrorCode::kPlugin, .file = path_, .found = std::move(found) + " (" + format_.path() + ")"};
}

}  // namespace aprx
