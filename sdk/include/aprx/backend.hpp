// C++ wrapper for backends that work in host memory: derive from HostBackend, give it a kernel
// table, and export `aprx::backend_plugin<Mine>("mine", "1.0")` as `aprx_plugin_v1`.
//
//   static const aprx::KernelRow kRows[] = {{.op = aprx::Op::kAdd, .name = "add", .run = add}};
//   struct Mine : aprx::HostBackend {
//     using HostBackend::HostBackend;
//     aprx::DeviceFacts device(uint32_t) const override { return {.id = "mine", .name = "mine"}; }
//     std::span<const aprx::KernelRow> rows(uint32_t) const override { return kRows; }
//   };
//   extern "C" APRX_EXPORT constinit const aprx_plugin aprx_plugin_v1 =
//       aprx::backend_plugin<Mine>("mine", "1.0");
//
// Probe, listing and dispatch all read the table. Exceptions stop here and become APRX_INTERNAL.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "aprx/abi.h"
#include "aprx/dtype/decode.hpp"
#include "aprx/host_memory.hpp"
#include "aprx/kernel_table.hpp"
#include "aprx/weight_pool.hpp"

namespace aprx {

struct DeviceFacts {
  std::string id;
  std::string name;
  std::string target;
  uint32_t flags = APRX_DEVICE_HOST_MEMORY;
  double bytes_per_second = 0;
  double flops_per_second = 0;
};

struct Availability {
  aprx_reason reason = APRX_SUPPORTED;
  std::string detail;
};

struct TargetFacts {
  std::string name;
  bool usable = false;
  bool in_use = false;
  std::string detail;
};

// Thrown by backends for failures that are not bugs; becomes the status and the text of the call.
struct BackendError {
  aprx_status status;
  std::string found;
};

class HostBackend {
 public:
  explicit HostBackend(const aprx_host* host) : host_(host) {}
  virtual ~HostBackend() = default;
  HostBackend(const HostBackend&) = delete;
  HostBackend& operator=(const HostBackend&) = delete;

  [[nodiscard]] virtual Availability availability() const { return {}; }
  [[nodiscard]] virtual uint32_t device_count() const { return 1; }
  [[nodiscard]] virtual DeviceFacts device(uint32_t index) const = 0;
  [[nodiscard]] virtual std::span<const KernelRow> rows(uint32_t device) const = 0;
  [[nodiscard]] virtual aprx_memory_info memory(uint32_t) const { return host_memory(); }
  [[nodiscard]] virtual std::vector<TargetFacts> targets() const { return {}; }
  // Uses `name` ("" = the best usable) from now on; throws BackendError if that can't be.
  virtual void select_target(const std::string& name) {
    if (!name.empty()) throw BackendError{APRX_BAD_CALL, "this backend has no target " + name};
  }

  // Whether matrices are copied to memory of their own on huge pages; else kernels read them where they are
  // mapped.
  [[nodiscard]] virtual bool copies_matrices() const { return false; }

  [[nodiscard]] const aprx_host* host() const { return host_; }

 private:
  const aprx_host* host_;
};

namespace host_backend {

struct PreparedWeight {
  std::byte* data = nullptr;
  uint64_t bytes = 0;          // of memory beside the source
  std::vector<float> widened;  // vectors of any float dtype, as F32
  PooledBytes copied;          // matrices, where they are copied
};

inline constexpr uint64_t kBufferAlignment = 128;

// Zeroed memory whose pages the system supplies when they are first touched, so that a context
// that is never filled costs nothing. Large buffers lie on huge pages.
class Buffer {
 public:
  explicit Buffer(uint64_t size) : size_(size) {
    if (size >= kHugeSize) {
      block_ = std::make_unique<HugeBlock>(size);
      data_ = block_->data();
      return;
    }
    small_.reset(std::calloc(1, size + kBufferAlignment));
    if (small_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<uintptr_t>(small_.get());
    data_ = static_cast<std::byte*>(small_.get()) +
            (kBufferAlignment - address % kBufferAlignment) % kBufferAlignment;
  }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] uint64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static constexpr uint64_t kHugeSize = 8 * HugeBlock::kPage;

  uint64_t size_;
  std::unique_ptr<void, Free> small_;
  std::unique_ptr<HugeBlock> block_;
  std::byte* data_ = nullptr;
};

struct BoundOperand {
  aprx_place place{};
  int64_t dynamic = 0;  // APRX_DIM_TOKENS, APRX_DIM_ROWS, or 0 if axis 0 is fixed
};

struct CompiledNode {
  const KernelRow* row = nullptr;
  std::vector<KernelOperand> operands;
  std::vector<BoundOperand> bound;
  std::vector<aprx_attribute> attributes;
};

struct Segment {
  std::vector<CompiledNode> nodes;
  uint64_t workspace_offset = 0;
  uint64_t workspace_size = 0;
};

struct Context {
  uint32_t device = 0;
  uint64_t bytes = 0;
  WeightPool weights;
};

inline void put(char* to, size_t capacity, const std::string& text) {
  std::snprintf(to, capacity, "%s", text.c_str());
}

inline void fill_error(aprx_error* error, const std::string& found) {
  if (error == nullptr) return;
  put(error->found, sizeof error->found, found);
}

// Runs `body` and turns what it throws into a status and a text.
template <typename Body>
aprx_status guarded(aprx_error* error, const Body& body) noexcept {
  try {
    body();
    return APRX_OK;
  } catch (const BackendError& e) {
    fill_error(error, e.found);
    return e.status;
  } catch (const std::bad_alloc&) {
    fill_error(error, "out of memory");
    return APRX_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    fill_error(error, e.what());
    return APRX_INTERNAL;
  } catch (...) {
    fill_error(error, "an exception of unknown type");
    return APRX_INTERNAL;
  }
}

inline TensorView view_of(const aprx_tensor& tensor) {
  TensorView view;
  view.dtype = tensor.kind == APRX_VECTOR ? DType::kF32 : static_cast<DType>(tensor.dtype);
  view.kind = tensor.kind;
  view.rank = tensor.rank;
  std::copy(std::begin(tensor.shape), std::end(tensor.shape), std::begin(view.shape));
  std::copy(std::begin(tensor.stride), std::end(tensor.stride), std::begin(view.stride));
  return view;
}

inline uint64_t workspace_of(const HostBackend& backend, uint32_t device, const aprx_segment& segment) {
  uint64_t most = 0;
  const std::span<const aprx_tensor> tensors(segment.tensors, segment.tensor_count);
  for (uint32_t i = 0; i < segment.node_count; ++i) {
    const NodeView node(segment.nodes[i], tensors, segment.tokens_max);
    aprx_verdict verdict{};
    const KernelRow* row = find_row(backend.rows(device), node, verdict);
    if (row == nullptr) throw BackendError{APRX_BAD_CALL, "no kernel for " + std::string(op_name(node.op()))};
    if (row->scratch_bytes != nullptr) {
      most = std::max(most, row->scratch_bytes(node, Parallel(backend.host()).workers()));
    }
  }
  return most;
}

inline CompiledNode compile_node(std::span<const KernelRow> rows, const aprx_segment& segment,
                                 const aprx_node& node) {
  const std::span<const aprx_tensor> tensors(segment.tensors, segment.tensor_count);
  aprx_verdict verdict{};
  CompiledNode compiled;
  compiled.row = find_row(rows, NodeView(node, tensors, segment.tokens_max), verdict);
  if (compiled.row == nullptr) {
    throw BackendError{APRX_BAD_CALL, "no kernel for " + std::string(op_name(static_cast<Op>(node.op)))};
  }
  compiled.attributes.assign(node.attributes, node.attributes + node.attribute_count);
  for (const aprx_operand& operand : std::span(node.operands, node.operand_count)) {
    const aprx_tensor& tensor = tensors[operand.tensor];
    compiled.operands.push_back({static_cast<Role>(operand.role), operand.is_output != 0, view_of(tensor)});
    BoundOperand bound{segment.places[operand.tensor], tensor.shape[0] < 0 ? tensor.shape[0] : 0};
    if (bound.place.kind == APRX_PLACE_WEIGHT) {
      compiled.operands.back().tensor.data = static_cast<PreparedWeight*>(bound.place.weight)->data;
    }
    compiled.bound.push_back(bound);
  }
  return compiled;
}

inline void run_node(CompiledNode& node, const aprx_run& run, std::span<std::byte> scratch,
                     const aprx_host* host) {
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const BoundOperand& bound = node.bound[i];
    TensorView& view = node.operands[i].tensor;
    if (bound.dynamic != 0) view.shape[0] = bound.dynamic == APRX_DIM_TOKENS ? run.tokens : run.rows;
    if (bound.place.kind == APRX_PLACE_ARENA) {
      view.data = static_cast<Buffer*>(run.arena)->data() + bound.place.offset;
    } else if (bound.place.kind == APRX_PLACE_STATE) {
      view.data = static_cast<Buffer*>(run.states[bound.place.state])->data() + bound.place.offset;
    }
  }
  node.row->run({node.operands, node.attributes, scratch, Parallel(host)});
}

// Copies in pieces on all threads, and lets the source go as it is done.
inline void copy_source(const aprx_weight_source& source, std::byte* to, const Parallel& parallel) {
  constexpr uint64_t kPiece = uint64_t{16} << 20U;
  constexpr uint64_t kShare = uint64_t{1} << 20U;
  const bool can_tell = source.struct_size >= sizeof(aprx_weight_source) && source.consumed != nullptr;
  const auto* from = static_cast<const std::byte*>(source.data);
  for (uint64_t at = 0; at < source.size; at += kPiece) {
    const uint64_t size = std::min(kPiece, source.size - at);
    parallel.run(static_cast<uint32_t>((size + kShare - 1) / kShare), [&](uint32_t share, uint32_t) {
      const uint64_t begin = at + share * kShare;
      std::memcpy(to + begin, from + begin, std::min(kShare, at + size - begin));
    });
    if (can_tell) source.consumed(source.reader, at + size);
  }
}

// A vector as F32.
inline void widen(const aprx_weight_source& source, PreparedWeight& weight) {
  int64_t elements = 1;
  for (uint32_t i = 0; i < source.tensor.rank; ++i) elements *= source.tensor.shape[i];
  const DecodeFn decode = decoder(static_cast<DType>(source.tensor.dtype));
  if (decode == nullptr) throw BackendError{APRX_BAD_CALL, "a vector of a dtype that can't be widened"};
  weight.widened.resize(static_cast<size_t>(elements));
  decode(static_cast<const uint8_t*>(source.data), elements, weight.widened.data());
  weight.data = reinterpret_cast<std::byte*>(weight.widened.data());
  weight.bytes = weight.widened.size() * sizeof(float);
}

// A weight as kernels read it.
inline std::unique_ptr<PreparedWeight> prepare(const HostBackend& backend, Context& context,
                                               const aprx_weight_source& source) {
  auto weight = std::make_unique<PreparedWeight>();
  if (source.tensor.kind == APRX_VECTOR) {
    widen(source, *weight);
  } else if (backend.copies_matrices()) {
    weight->copied = context.weights.take(source.size);
    weight->data = weight->copied.data;
    weight->bytes = source.size;
    copy_source(source, weight->data, Parallel(backend.host()));
  } else {
    weight->data = static_cast<std::byte*>(const_cast<void*>(source.data));
  }
  return weight;
}

inline HostBackend* of(void* self) { return static_cast<HostBackend*>(self); }

inline void availability(void* self, aprx_verdict* verdict) {
  const Availability a = of(self)->availability();
  verdict->reason = a.reason;
  put(verdict->detail, sizeof verdict->detail, a.detail);
}
inline uint32_t device_count(void* self) { return of(self)->device_count(); }
inline aprx_status device_describe(void* self, uint32_t device, aprx_device_info* info) {
  if (device >= of(self)->device_count()) return APRX_BAD_CALL;
  return guarded(nullptr, [&] {
    const DeviceFacts facts = of(self)->device(device);
    info->flags = facts.flags;
    put(info->id, sizeof info->id, facts.id);
    put(info->name, sizeof info->name, facts.name);
    put(info->target, sizeof info->target, facts.target);
    info->bytes_per_second = facts.bytes_per_second;
    info->flops_per_second = facts.flops_per_second;
  });
}
inline aprx_status memory_info(void* self, uint32_t device, aprx_memory_info* info) {
  return guarded(nullptr, [&] {
    const aprx_memory_info memory = of(self)->memory(device);
    info->total = memory.total;
    info->free = memory.free;
  });
}
inline uint32_t target_count(void* self) { return static_cast<uint32_t>(of(self)->targets().size()); }
inline aprx_status target_describe(void* self, uint32_t index, aprx_target_info* info) {
  const std::vector<TargetFacts> targets = of(self)->targets();
  if (index >= targets.size()) return APRX_BAD_CALL;
  info->usable = targets[index].usable ? 1 : 0;
  info->in_use = targets[index].in_use ? 1 : 0;
  put(info->name, sizeof info->name, targets[index].name);
  put(info->detail, sizeof info->detail, targets[index].detail);
  return APRX_OK;
}
inline void probe(void* self, uint32_t device, const aprx_query* query, aprx_verdict* verdict) {
  const NodeView node(*query->node, {query->tensors, query->tensor_count}, query->tokens_max);
  find_row(of(self)->rows(device), node, *verdict);
}
inline uint32_t kernel_row(void* self, uint32_t device, uint32_t index, aprx_kernel_row* out) {
  const std::span<const KernelRow> rows = of(self)->rows(device);
  if (index >= rows.size()) return 0;
  out->op = static_cast<uint32_t>(rows[index].op);
  out->dtype = static_cast<uint32_t>(rows[index].dtype);
  put(out->name, sizeof out->name, rows[index].name);
  return 1;
}
inline aprx_status context_create(void* self, uint32_t device, const aprx_context_options* options,
                                  void** context, aprx_error* error) {
  return guarded(error, [&] {
    of(self)->select_target(options->target == nullptr ? "" : options->target);
    *context = new Context{device, 0, {}};
  });
}
inline void context_destroy(void*, void* context) { delete static_cast<Context*>(context); }
inline aprx_status context_synchronize(void*, void*, aprx_error*) { return APRX_OK; }
inline uint64_t bytes_in_use(void*, void* context) { return static_cast<Context*>(context)->bytes; }

inline aprx_status buffer_alloc(void*, void* context, uint64_t size, void** buffer, aprx_error* error) {
  return guarded(error, [&] {
    auto made = std::make_unique<Buffer>(size);
    static_cast<Context*>(context)->bytes += size;
    *buffer = made.release();
  });
}
inline void buffer_free(void*, void* context, void* buffer) {
  static_cast<Context*>(context)->bytes -= static_cast<Buffer*>(buffer)->size();
  delete static_cast<Buffer*>(buffer);
}
inline bool is_inside(const Buffer& buffer, uint64_t offset, uint64_t size) {
  return offset <= buffer.size() && size <= buffer.size() - offset;
}
inline aprx_status buffer_write(void*, void*, void* buffer, uint64_t offset, const void* data, uint64_t size,
                                aprx_error* error) {
  Buffer& to = *static_cast<Buffer*>(buffer);
  if (!is_inside(to, offset, size)) {
    fill_error(error, "write outside the buffer");
    return APRX_BAD_CALL;
  }
  if (size > 0) std::memcpy(to.data() + offset, data, size);
  return APRX_OK;
}
inline aprx_status buffer_read(void*, void*, const void* buffer, uint64_t offset, void* data, uint64_t size,
                               aprx_error* error) {
  const Buffer& from = *static_cast<const Buffer*>(buffer);
  if (!is_inside(from, offset, size)) {
    fill_error(error, "read outside the buffer");
    return APRX_BAD_CALL;
  }
  if (size > 0) std::memcpy(data, from.data() + offset, size);
  return APRX_OK;
}
inline aprx_status weight_prepare(void* self, void* context, const aprx_weight_source* source, void** weight,
                                  uint32_t* keeps_source, aprx_error* error) {
  return guarded(error, [&] {
    auto& owner = *static_cast<Context*>(context);
    auto prepared = prepare(*of(self), owner, *source);
    *keeps_source = prepared->bytes == 0 ? 1 : 0;
    owner.bytes += prepared->bytes;
    *weight = prepared.release();
  });
}
inline void weight_release(void*, void* context, void* weight) {
  auto* prepared = static_cast<PreparedWeight*>(weight);
  static_cast<Context*>(context)->bytes -= prepared->bytes;
  delete prepared;
}
inline aprx_status workspace_size(void* self, uint32_t device, const aprx_segment* segment, uint64_t* size,
                                  aprx_error* error) {
  return guarded(error, [&] { *size = workspace_of(*of(self), device, *segment); });
}
inline aprx_status segment_compile(void* self, void* context, const aprx_segment* segment, void** compiled,
                                   aprx_error* error) {
  return guarded(error, [&] {
    auto made = std::make_unique<Segment>();
    made->workspace_offset = segment->workspace_offset;
    made->workspace_size = segment->workspace_size;
    const std::span<const KernelRow> rows = of(self)->rows(static_cast<Context*>(context)->device);
    for (uint32_t i = 0; i < segment->node_count; ++i) {
      made->nodes.push_back(compile_node(rows, *segment, segment->nodes[i]));
    }
    *compiled = made.release();
  });
}
inline void segment_destroy(void*, void*, void* compiled) { delete static_cast<Segment*>(compiled); }
inline aprx_status segment_run(void* self, void*, void* compiled, const aprx_run* run, aprx_error* error) {
  auto& segment = *static_cast<Segment*>(compiled);
  const aprx_host* host = of(self)->host();
  const std::span<std::byte> scratch(static_cast<Buffer*>(run->arena)->data() + segment.workspace_offset,
                                     segment.workspace_size);
  for (CompiledNode& node : segment.nodes) {
    if (host->cancelled(host->self) != 0) return APRX_CANCELLED;
    const aprx_status status = guarded(error, [&] { run_node(node, *run, scratch, host); });
    if (status != APRX_OK) return status;
  }
  return APRX_OK;
}

inline constexpr aprx_backend kInterface = {sizeof(aprx_backend),
                                            0,
                                            availability,
                                            device_count,
                                            device_describe,
                                            memory_info,
                                            target_count,
                                            target_describe,
                                            probe,
                                            kernel_row,
                                            context_create,
                                            context_destroy,
                                            context_synchronize,
                                            bytes_in_use,
                                            buffer_alloc,
                                            buffer_free,
                                            buffer_write,
                                            buffer_read,
                                            weight_prepare,
                                            weight_release,
                                            workspace_size,
                                            segment_compile,
                                            segment_destroy,
                                            segment_run};

template <typename T>
aprx_status open(const aprx_host* host, void** self, const void** interface, aprx_error* error) {
  return guarded(error, [&] {
    *self = static_cast<HostBackend*>(new T(host));
    *interface = &kInterface;
  });
}
inline void close(void* self) { delete of(self); }

}  // namespace host_backend

// What a backend exports as `aprx_plugin_v1`. T derives from HostBackend.
template <typename T>
constexpr aprx_plugin backend_plugin(const char* name, const char* version) {
  return {sizeof(aprx_plugin),    APRX_ABI_MAJOR,      APRX_ABI_MINOR, APRX_KIND_BACKEND, 0, name, version,
          &host_backend::open<T>, &host_backend::close};
}

}  // namespace aprx
