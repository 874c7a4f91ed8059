#include "app/version.h"

#include <fmt/format.h>

#include "app/host.h"
#include "commit.h"

namespace aprx::app {

namespace {

std::string targets_text(const Backend& backend) {
  std::string out;
  for (const BackendTarget& target : backend.targets()) {
    out += (out.empty() ? "" : " ") + target.name + (target.is_in_use ? "*" : target.is_usable ? "" : "-");
  }
  return out.empty() ? "no targets to choose from" : out;
}

}  // namespace

std::string version_text() {
  std::string out = fmt::format("aprx {} (commit {}), plugin ABI {}.{}\n", APRX_VERSION, APRX_COMMIT,
                                APRX_ABI_MAJOR, APRX_ABI_MINOR);
  auto host = Host::create({});
  if (!host) return out;
  for (const PluginCandidate& candidate : (*host)->registry().candidates()) {
    if (!candidate.is_usable || candidate.kind != PluginKind::kBackend) continue;
    auto backend = (*host)->registry().backend(candidate.name);
    if (backend)
      out += fmt::format("backend {} {}: {}\n", candidate.name, candidate.version, targets_text(**backend));
  }
  return out + "(* in use, - compiled but not usable on this machine)\n";
}

}  // namespace aprx::app
