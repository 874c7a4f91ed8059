#include "app/host.h"

#include "app/signals.h"
#include "core/base/log.h"
#include "core/base/thread_count.h"

namespace aprx::app {

Result<std::unique_ptr<Host>> Host::create(const HostOptions& options) {
  if (auto ok = set_up_log(options.verbose); !ok) return ok.error();
  auto descriptions = DescriptionSet::load(description_folders(
      std::vector<std::filesystem::path>(options.model_dirs.begin(), options.model_dirs.end())));
  if (!descriptions) return descriptions.error();
  return std::unique_ptr<Host>(new Host(options, std::move(*descriptions)));
}

Host::Host(const HostOptions& options, DescriptionSet descriptions)
    : threads_(options.threads > 0 ? options.threads : default_thread_count()),
      pool_(threads_),
      services_(pool_, interrupted(), APRX_VERSION),
      registry_(SearchPath::standard(options.plugin_dirs), services_),
      descriptions_(std::move(descriptions)) {}

}  // namespace aprx::app
