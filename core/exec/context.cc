#include "core/exec/context.h"

namespace aprx {

namespace {

aprx_error empty_error() {
  aprx_error error{};
  error.struct_size = sizeof error;
  return error;
}

ErrorCode code_of(aprx_status status) {
  switch (status) {
    case APRX_OUT_OF_MEMORY: return ErrorCode::kLimit;
    case APRX_CANCELLED: return ErrorCode::kInterrupted;
    case APRX_BAD_FILE: return ErrorCode::kBadFile;
    default: return ErrorCode::kDevice;
  }
}

}  // namespace

Error device_error(const Device& device, aprx_status status, const aprx_error& error) {
  Error out{code_of(status), error.file, error.subject, error.found, error.expected, error.hint};
  if (status == APRX_CANCELLED) out.found = "interrupted";
  if (out.subject.empty()) out.subject = device.id;
  if (out.found.empty())
    out.found = "the device failed without a word (status " + std::to_string(status) + ")";
  return out;
}

Result<std::shared_ptr<Context>> Context::create(const Device& device, const std::string& target) {
  const aprx_context_options options{sizeof(aprx_context_options), 0, target.c_str()};
  aprx_error error = empty_error();
  void* handle = nullptr;
  const aprx_status status =
      device.table->context_create(device.self, device.index, &options, &handle, &error);
  if (status != APRX_OK) return device_error(device, status, error);
  return std::shared_ptr<Context>(new Context(device, handle));
}

Context::~Context() { device_.table->context_destroy(device_.self, handle_); }

Result<void> Context::synchronize() const {
  aprx_error error = empty_error();
  const aprx_status status = device_.table->context_synchronize(device_.self, handle_, &error);
  if (status != APRX_OK) return device_error(device_, status, error);
  return {};
}

Result<Buffer> Buffer::create(std::shared_ptr<Context> context, uint64_t bytes) {
  const Device& device = context->device();
  aprx_error error = empty_error();
  void* handle = nullptr;
  const aprx_status status =
      device.table->buffer_alloc(device.self, context->handle(), bytes, &handle, &error);
  if (status != APRX_OK) return device_error(device, status, error);
  return Buffer(handle, bytes, std::move(context));
}

void Buffer::Free::operator()(void* buffer) const {
  context->device().table->buffer_free(context->device().self, context->handle(), buffer);
}

Result<void> Buffer::write(uint64_t offset, std::span<const std::byte> data) {
  const Context& context = *handle_.get_deleter().context;
  const Device& device = context.device();
  aprx_error error = empty_error();
  const aprx_status status = device.table->buffer_write(device.self, context.handle(), handle_.get(), offset,
                                                        data.data(), data.size(), &error);
  if (status != APRX_OK) return device_error(device, status, error);
  return {};
}

Result<void> Buffer::read(uint64_t offset, std::span<std::byte> data) const {
  const Context& context = *handle_.get_deleter().context;
  const Device& device = context.device();
  aprx_error error = empty_error();
  const aprx_status status = device.table->buffer_read(device.self, context.handle(), handle_.get(), offset,
                                                       data.data(), data.size(), &error);
  if (status != APRX_OK) return device_error(device, status, error);
  return {};
}

Result<PreparedWeight> PreparedWeight::create(std::shared_ptr<Context> context,
                                              const aprx_weight_source& source) {
  const Device& device = context->device();
  aprx_error error = empty_error();
  void* handle = nullptr;
  uint32_t keeps_source = 0;
  const aprx_status status =
      device.table->weight_prepare(device.self, context->handle(), &source, &handle, &keeps_source, &error);
  if (status != APRX_OK) return device_error(device, status, error);
  return PreparedWeight(handle, keeps_source != 0, std::move(context));
}

void PreparedWeight::Release::operator()(void* weight) const {
  context->device().table->weight_release(context->device().self, context->handle(), weight);
}

Result<CompiledSegment> CompiledSegment::create(std::shared_ptr<Context> context,
                                                const aprx_segment& segment) {
  const Device& device = context->device();
  aprx_error error = empty_error();
  void* handle = nullptr;
  const aprx_status status =
      device.table->segment_compile(device.self, context->handle(), &segment, &handle, &error);
  if (status != APRX_OK) return device_error(device, status, error);
  return CompiledSegment(handle, std::move(context));
}

void CompiledSegment::Destroy::operator()(void* compiled) const {
  context->device().table->segment_destroy(context->device().self, context->handle(), compiled);
}

Result<void> CompiledSegment::run(const aprx_run& run) {
  const Context& context = *handle_.get_deleter().context;
  const Device& device = context.device();
  aprx_error error = empty_error();
  const aprx_status status =
      device.table->segment_run(device.self, context.handle(), handle_.get(), &run, &error);
  if (status != APRX_OK) return device_error(device, status, error);
  return context.synchronize();
}

}  // namespace aprx
