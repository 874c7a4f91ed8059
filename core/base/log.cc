#include "core/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace aprx {

namespace {

struct LevelName {
  std::string_view name;
  spdlog::level::level_enum level;
};

constexpr std::array<LevelName, 5> kLevels = {{{"debug", spdlog::level::debug},
                                               {"info", spdlog::level::info},
                                               {"warning", spdlog::level::warn},
                                               {"error", spdlog::level::err},
                                               {"off", spdlog::level::off}}};

std::optional<spdlog::level::level_enum> level_named(std::string_view name) {
  for (const LevelName& level : kLevels) {
    if (level.name == name) return level.level;
  }
  return std::nullopt;
}

}  // namespace

Result<void> set_up_log(bool verbose) {
  auto logger =
      std::make_shared<spdlog::logger>("aprx", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("aprx: %^%l%$: %v");
  const char* named = std::getenv("APRX_LOG");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view name = named == nullptr || *named == '\0' ? "warning" : named;
  const auto level = level_named(name);
  logger->set_level(verbose ? spdlog::level::debug : level.value_or(spdlog::level::warn));
  spdlog::set_default_logger(std::move(logger));
  if (!level) {
    return Error{.code = ErrorCode::kUsage,
                 .subject = "APRX_LOG",
                 .found = "there is no level " + std::string(name),
                 .expected = "debug, info, warning, error or off"};
  }
  return {};
}

}  // namespace aprx
