// A backend without devices, written against the plain C contract; each CASE_ macro spoils one thing.
#include <cstddef>
#include <cstdio>
#include <stdexcept>

#include "aprx/abi.h"

#ifndef CASE_ABI_MAJOR
#define CASE_ABI_MAJOR APRX_ABI_MAJOR
#endif
#ifndef CASE_ABI_MINOR
#define CASE_ABI_MINOR APRX_ABI_MINOR
#endif
#ifndef CASE_KIND
#define CASE_KIND APRX_KIND_BACKEND
#endif
#ifndef CASE_NAME
#define CASE_NAME "good"
#endif
#ifndef CASE_OPEN
#define CASE_OPEN open_plugin
#endif

namespace {

void availability(void*, aprx_verdict* verdict) {
  verdict->reason = APRX_DEVICE_ABSENT;
  std::snprintf(verdict->detail, sizeof verdict->detail, "there is nothing to run on");
}
uint32_t none(void*) { return 0; }
aprx_status device_describe(void*, uint32_t, aprx_device_info*) { return APRX_BAD_CALL; }
aprx_status memory_info(void*, uint32_t, aprx_memory_info*) { return APRX_BAD_CALL; }
aprx_status target_describe(void*, uint32_t, aprx_target_info*) { return APRX_BAD_CALL; }
void probe(void*, uint32_t, const aprx_query*, aprx_verdict* verdict) {
  verdict->reason = APRX_DEVICE_ABSENT;
}
uint32_t kernel_row(void*, uint32_t, uint32_t, aprx_kernel_row*) { return 0; }
aprx_status context_create(void*, uint32_t, const aprx_context_options*, void**, aprx_error*) {
  return APRX_BAD_CALL;
}
void context_destroy(void*, void*) {}
aprx_status context_synchronize(void*, void*, aprx_error*) { return APRX_OK; }
uint64_t bytes_in_use(void*, void*) { return 0; }
aprx_status buffer_alloc(void*, void*, uint64_t, void**, aprx_error*) { return APRX_BAD_CALL; }
void release(void*, void*, void*) {}
aprx_status buffer_write(void*, void*, void*, uint64_t, const void*, uint64_t, aprx_error*) {
  return APRX_BAD_CALL;
}
aprx_status buffer_read(void*, void*, const void*, uint64_t, void*, uint64_t, aprx_error*) {
  return APRX_BAD_CALL;
}
aprx_status weight_prepare(void*, void*, const aprx_weight_source*, void**, uint32_t*, aprx_error*) {
  return APRX_BAD_CALL;
}
aprx_status workspace_size(void*, uint32_t, const aprx_segment*, uint64_t*, aprx_error*) {
  return APRX_BAD_CALL;
}
#ifndef CASE_NULL_FUNCTION
aprx_status segment_compile(void*, void*, const aprx_segment*, void**, aprx_error*) { return APRX_BAD_CALL; }
#else
constexpr aprx_status (*segment_compile)(void*, void*, const aprx_segment*, void**, aprx_error*) = nullptr;
#endif
aprx_status segment_run(void*, void*, void*, const aprx_run*, aprx_error*) { return APRX_BAD_CALL; }

// A table of a later minor version has more functions at its end.
struct Table {
  aprx_backend known;
  void* added_later[4];
};

#if defined(CASE_LONGER_STRUCTS)
constexpr uint32_t kTableSize = sizeof(Table);
#elif defined(CASE_SHORT_TABLE)
constexpr uint32_t kTableSize = offsetof(aprx_backend, weight_release);
#else
constexpr uint32_t kTableSize = sizeof(aprx_backend);
#endif

[[maybe_unused]] constexpr Table kTable = {{kTableSize,
                                            0,
                                            availability,
                                            none,
                                            device_describe,
                                            memory_info,
                                            none,
                                            target_describe,
                                            probe,
                                            kernel_row,
                                            context_create,
                                            context_destroy,
                                            context_synchronize,
                                            bytes_in_use,
                                            buffer_alloc,
                                            release,
                                            buffer_write,
                                            buffer_read,
                                            weight_prepare,
                                            release,
                                            workspace_size,
                                            segment_compile,
                                            release,
                                            segment_run},
                                           {}};

[[maybe_unused]] aprx_status open_plugin(const aprx_host*, void**, [[maybe_unused]] const void** interface,
                                         [[maybe_unused]] aprx_error* error) {
#if defined(CASE_THROWS)
  throw std::runtime_error("thrown in open");
#elif defined(CASE_FAILS)
  std::snprintf(error->found, sizeof error->found, "the moon is in the wrong phase");
  return APRX_INTERNAL;
#else
#ifndef CASE_NO_INTERFACE
  *interface = &kTable;
#endif
  return APRX_OK;
#endif
}
void close_plugin(void*) {}

#if defined(CASE_LONGER_STRUCTS)
constexpr uint32_t kPluginSize = sizeof(aprx_plugin) + 64;
#elif defined(CASE_SHORT_PLUGIN)
constexpr uint32_t kPluginSize = offsetof(aprx_plugin, close);
#elif defined(CASE_TINY_PLUGIN)
constexpr uint32_t kPluginSize = sizeof(uint32_t);
#else
constexpr uint32_t kPluginSize = sizeof(aprx_plugin);
#endif

struct Exported {
  aprx_plugin known;
  void* added_later[8];
};

}  // namespace

extern "C" APRX_EXPORT const Exported aprx_plugin_v1;
extern "C" const Exported aprx_plugin_v1 = {
    {kPluginSize, CASE_ABI_MAJOR, CASE_ABI_MINOR, CASE_KIND, 0, CASE_NAME, "1.2.3", CASE_OPEN, close_plugin},
    {}};
