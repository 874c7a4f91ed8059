#include "core/plugin/backend.h"

#include "core/plugin/plugin_call.h"

namespace aprx {

Backend::Backend(std::unique_ptr<LoadedPlugin> plugin, const aprx_backend& table)
    : plugin_(std::move(plugin)), table_(table) {}

Result<std::unique_ptr<Backend>> Backend::create(std::unique_ptr<LoadedPlugin> plugin) {
  auto table = read_backend(plugin->table());
  if (!table) {
    table.error().file = plugin->path();
    return table.error();
  }
  return std::unique_ptr<Backend>(new Backend(std::move(plugin), *table));
}

aprx_verdict Backend::availability() const {
  aprx_verdict verdict{};
  verdict.struct_size = sizeof verdict;
  table_.availability(self(), &verdict);
  verdict.detail[sizeof verdict.detail - 1] = '\0';
  return verdict;
}

std::vector<Device> Backend::devices() const {
  std::vector<Device> devices;
  const uint32_t count = table_.device_count(self());
  for (uint32_t i = 0; i < count; ++i) {
    aprx_device_info info{};
    info.struct_size = sizeof info;
    if (table_.device_describe(self(), i, &info) != APRX_OK) continue;
    devices.push_back({.table = &table_,
                       .self = self(),
                       .index = i,
                       .backend = name(),
                       .backend_version = version(),
                       .id = text_of(info.id),
                       .name = text_of(info.name),
                       .target = text_of(info.target),
                       .flags = info.flags,
                       .bytes_per_second = info.bytes_per_second,
                       .flops_per_second = info.flops_per_second});
  }
  return devices;
}

std::vector<BackendTarget> Backend::targets() const {
  std::vector<BackendTarget> targets;
  const uint32_t count = table_.target_count(self());
  for (uint32_t i = 0; i < count; ++i) {
    aprx_target_info info{};
    info.struct_size = sizeof info;
    if (table_.target_describe(self(), i, &info) != APRX_OK) continue;
    targets.push_back({text_of(info.name), info.usable != 0, info.in_use != 0, text_of(info.detail)});
  }
  return targets;
}

}  // namespace aprx
