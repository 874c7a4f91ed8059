// Where the large test pack (oracle, corpora) lies. Tests that need it skip with a reason without it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace aprx::test {

// The folder named by APRX_SHARED, else `shared` beside the source tree; nothing if neither exists.
inline std::optional<std::filesystem::path> shared_dir() {
  const char* named = std::getenv("APRX_SHARED");  // NOLINT(concurrency-mt-unsafe)
  std::filesystem::path path =
      named != nullptr ? named : std::filesystem::path(APRX_SOURCE_DIR).parent_path() / "shared";
  if (!std::filesystem::is_directory(path / "oracle")) return std::nullopt;
  return path;
}

}  // namespace aprx::test

// Skips the current Catch2 test case, loudly, when the pack is absent; else names its path `shared`.
#define APRX_REQUIRE_SHARED(shared)                                                           \
  const auto shared##_optional = aprx::test::shared_dir();                                    \
  if (!shared##_optional) SKIP("needs the shared test pack (set APRX_SHARED to its folder)"); \
  const std::filesystem::path& shared = *shared##_optional
