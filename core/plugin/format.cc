#include "core/plugin/format.h"

#include "core/plugin/plugin_call.h"

namespace aprx {

Format::Format(std::unique_ptr<LoadedPlugin> plugin, const aprx_format& table)
    : plugin_(std::move(plugin)), table_(table) {}

Result<std::unique_ptr<Format>> Format::create(std::unique_ptr<LoadedPlugin> plugin) {
  auto table = read_format(plugin->table());
  if (!table) {
    table.error().file = plugin->path();
    return table.error();
  }
  return std::unique_ptr<Format>(new Format(std::move(plugin), *table));
}

uint32_t Format::detect(const std::string& path, std::span<const std::byte> head) const {
  aprx_error error = empty_plugin_error();
  uint32_t score = 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(head.data());
  const aprx_status status = call_plugin(error, [&] {
    score = table_.detect(self(), path.c_str(), bytes, head.size());
    return APRX_OK;
  });
  return status == APRX_OK ? score : 0;
}

}  // namespace aprx
