// What must hold before anything of a plugin is called: versions, kind, name, functions.
// The rules are in docs/plugins.md.
#pragma once

#include <cstdint>
#include <string>

#include "aprx/abi.h"
#include "core/base/result.h"

namespace aprx {

enum class PluginKind : uint32_t { kBackend = APRX_KIND_BACKEND, kFormat = APRX_KIND_FORMAT };

[[nodiscard]] const char* plugin_kind_name(PluginKind kind);  // "backend", "format"

struct AbiVersion {
  uint16_t major = 0;
  uint16_t minor = 0;
};

inline constexpr AbiVersion kHostAbi = {APRX_ABI_MAJOR, APRX_ABI_MINOR};

// Whether a host of version `host` can use a plugin of version `plugin`: major versions must be
// equal, and while they are 0 minor ones too, because nothing is stable yet.
[[nodiscard]] bool abi_fits(AbiVersion host, AbiVersion plugin);

// The version that `exported` says it was built for; 0.0 if it is too short to say.
[[nodiscard]] AbiVersion abi_of(const aprx_plugin& exported);

// The exported table in this host's layout: fields that the plugin's table doesn't have are zero.
// Refused unless its version fits, its kind and name are those that the file's name says, and it has
// the functions that every plugin must have.
[[nodiscard]] Result<aprx_plugin> read_plugin(const aprx_plugin& exported, PluginKind kind,
                                              const std::string& name);

// The table of the plugin's kind in this host's layout; refused, naming it, where a function is
// missing.
[[nodiscard]] Result<aprx_backend> read_backend(const void* table);
[[nodiscard]] Result<aprx_format> read_format(const void* table);

}  // namespace aprx
