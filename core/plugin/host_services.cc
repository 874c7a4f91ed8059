#include "core/plugin/host_services.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"

namespace aprx {

namespace {

spdlog::level::level_enum level_of(uint32_t level) {
  switch (level) {
    case APRX_LOG_DEBUG: return spdlog::level::debug;
    case APRX_LOG_INFO: return spdlog::level::info;
    case APRX_LOG_WARNING: return spdlog::level::warn;
    default: return spdlog::level::err;
  }
}

HostServices& services(void* self) { return *static_cast<HostServices*>(self); }

}  // namespace

HostServices::HostServices(ThreadPool& pool, const std::atomic<bool>& cancelled, std::string version)
    : pool_(pool),
      cancelled_(cancelled),
      version_(std::move(version)),
      table_{sizeof(aprx_host),          APRX_ABI_MAJOR,     APRX_ABI_MINOR,          this,
             version_.c_str(),           &HostServices::log, &HostServices::parallel, &HostServices::workers,
             &HostServices::is_cancelled} {}

void HostServices::log(void*, uint32_t level, const char* message) {
  spdlog::log(level_of(level), "{}", printable(message));
}

void HostServices::parallel(void* self, uint32_t tasks, aprx_task_fn body, void* argument) {
  services(self).pool_.run(tasks, body, argument);
}

uint32_t HostServices::workers(void* self) { return services(self).pool_.size(); }

uint32_t HostServices::is_cancelled(void* self) {
  return services(self).cancelled_.load(std::memory_order_relaxed) ? 1 : 0;
}

}  // namespace aprx
