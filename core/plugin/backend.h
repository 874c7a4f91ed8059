// An opened backend plugin: what it says about this machine. Work goes through its devices
// (core/exec/context.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/capability/device.h"
#include "core/plugin/loaded_plugin.h"

namespace aprx {

// An instruction-set target or compiled architecture.
struct BackendTarget {
  std::string name;
  bool is_usable = false;
  bool is_in_use = false;
  std::string detail;  // why it isn't usable
};

// Functions may be called from any thread. The registry keeps it; devices refer to it.
class Backend {
 public:
  // Takes a plugin that was opened; refused where its table is incomplete.
  static Result<std::unique_ptr<Backend>> create(std::unique_ptr<LoadedPlugin> plugin);

  [[nodiscard]] std::string name() const { return plugin_->name(); }
  [[nodiscard]] std::string version() const { return plugin_->version(); }
  [[nodiscard]] const std::string& path() const { return plugin_->path(); }
  [[nodiscard]] const aprx_backend& table() const { return table_; }
  [[nodiscard]] void* self() const { return plugin_->self(); }

  // Whether it can be used here at all, and why not.
  [[nodiscard]] aprx_verdict availability() const;
  // Devices that can be described; may initialise a driver the first time.
  [[nodiscard]] std::vector<Device> devices() const;
  [[nodiscard]] std::vector<BackendTarget> targets() const;

 private:
  Backend(std::unique_ptr<LoadedPlugin> plugin, const aprx_backend& table);

  std::unique_ptr<LoadedPlugin> plugin_;
  aprx_backend table_;
};

}  // namespace aprx
