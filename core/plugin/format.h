// An opened format plugin.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/plugin/loaded_plugin.h"

namespace aprx {

// The registry keeps it; model files refer to it.
class Format {
 public:
  // Takes a plugin that was opened; refused where its table is incomplete.
  static Result<std::unique_ptr<Format>> create(std::unique_ptr<LoadedPlugin> plugin);

  [[nodiscard]] std::string name() const { return plugin_->name(); }
  [[nodiscard]] const std::string& path() const { return plugin_->path(); }
  [[nodiscard]] const aprx_format& table() const { return table_; }
  [[nodiscard]] void* self() const { return plugin_->self(); }

  // How sure the plugin is that it reads this file: 0 = not, 100 = certainly. `head` holds the
  // file's first bytes.
  [[nodiscard]] uint32_t detect(const std::string& path, std::span<const std::byte> head) const;

 private:
  Format(std::unique_ptr<LoadedPlugin> plugin, const aprx_format& table);

  std::unique_ptr<LoadedPlugin> plugin_;
  aprx_format table_;
};

}  // namespace aprx
