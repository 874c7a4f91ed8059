#include "core/plugin/handshake.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace aprx {

namespace {

struct Function {
  const char* name;
  size_t offset;
};

constexpr std::array kBackendFunctions = {
    Function{"availability", offsetof(aprx_backend, availability)},
    Function{"device_count", offsetof(aprx_backend, device_count)},
    Function{"device_describe", offsetof(aprx_backend, device_describe)},
    Function{"memory_info", offsetof(aprx_backend, memory_info)},
    Function{"target_count", offsetof(aprx_backend, target_count)},
    Function{"target_describe", offsetof(aprx_backend, target_describe)},
    Function{"probe", offsetof(aprx_backend, probe)},
    Function{"kernel_row", offsetof(aprx_backend, kernel_row)},
    Function{"context_create", offsetof(aprx_backend, context_create)},
    Function{"context_destroy", offsetof(aprx_backend, context_destroy)},
    Function{"context_synchronize", offsetof(aprx_backend, context_synchronize)},
    Function{"bytes_in_use", offsetof(aprx_backend, bytes_in_use)},
    Function{"buffer_alloc", offsetof(aprx_backend, buffer_alloc)},
    Function{"buffer_free", offsetof(aprx_backend, buffer_free)},
    Function{"buffer_write", offsetof(aprx_backend, buffer_write)},
    Function{"buffer_read", offsetof(aprx_backend, buffer_read)},
    Function{"weight_prepare", offsetof(aprx_backend, weight_prepare)},
    Function{"weight_release", offsetof(aprx_backend, weight_release)},
    Function{"workspace_size", offsetof(aprx_backend, workspace_size)},
    Function{"segment_compile", offsetof(aprx_backend, segment_compile)},
    Function{"segment_destroy", offsetof(aprx_backend, segment_destroy)},
    Function{"segment_run", offsetof(aprx_backend, segment_run)},
};

constexpr std::array kFormatFunctions = {
    Function{"detect", offsetof(aprx_format, detect)},
    Function{"open", offsetof(aprx_format, open)},
    Function{"close", offsetof(aprx_format, close)},
    Function{"scheme", offsetof(aprx_format, scheme)},
    Function{"version", offsetof(aprx_format, version)},
    Function{"claim", offsetof(aprx_format, claim)},
    Function{"file_count", offsetof(aprx_format, file_count)},
    Function{"metadata_count", offsetof(aprx_format, metadata_count)},
    Function{"metadata", offsetof(aprx_format, metadata)},
    Function{"metadata_item", offsetof(aprx_format, metadata_item)},
    Function{"tensor_count", offsetof(aprx_format, tensor_count)},
    Function{"tensor", offsetof(aprx_format, tensor)},
    Function{"warning_count", offsetof(aprx_format, warning_count)},
    Function{"warning", offsetof(aprx_format, warning)},
    Function{"recipe", offsetof(aprx_format, recipe)},
};

constexpr std::array kPluginFunctions = {Function{"open", offsetof(aprx_plugin, open)},
                                         Function{"close", offsetof(aprx_plugin, close)}};

Error refusal(std::string found, std::string expected = {}) {
  return {.code = ErrorCode::kPlugin, .found = std::move(found), .expected = std::move(expected)};
}

// As much of `theirs` as it says it has; the rest stays zero.
template <typename Table>
Table in_our_layout(const void* theirs) {
  uint32_t size = 0;
  std::memcpy(&size, theirs, sizeof size);
  Table ours{};
  std::memcpy(&ours, theirs, std::min<size_t>(size, sizeof ours));
  return ours;
}

Result<void> check_functions(const void* table, std::span<const Function> functions) {
  for (const Function& function : functions) {
    void (*pointer)() = nullptr;
    std::memcpy(&pointer, static_cast<const char*>(table) + function.offset, sizeof pointer);
    if (pointer == nullptr) return refusal("the function " + std::string(function.name) + " is missing");
  }
  return {};
}

template <typename Table>
Result<Table> read_table(const void* table, std::span<const Function> functions) {
  if (table == nullptr) return refusal("open gave no table of functions");
  const auto ours = in_our_layout<Table>(table);
  if (auto complete = check_functions(&ours, functions); !complete) return complete.error();
  return ours;
}

std::string abi_text(AbiVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::string kind_text(uint32_t kind) {
  if (kind == APRX_KIND_BACKEND || kind == APRX_KIND_FORMAT) {
    return plugin_kind_name(static_cast<PluginKind>(kind));
  }
  return "unknown (" + std::to_string(kind) + ")";
}

}  // namespace

const char* plugin_kind_name(PluginKind kind) { return kind == PluginKind::kBackend ? "backend" : "format"; }

bool abi_fits(AbiVersion host, AbiVersion plugin) {
  return host.major == plugin.major && (host.major > 0 || host.minor == plugin.minor);
}

AbiVersion abi_of(const aprx_plugin& exported) {
  constexpr size_t kLeast = offsetof(aprx_plugin, abi_minor) + sizeof(exported.abi_minor);
  if (exported.struct_size < kLeast) return {};
  return {exported.abi_major, exported.abi_minor};
}

Result<aprx_plugin> read_plugin(const aprx_plugin& exported, PluginKind kind, const std::string& name) {
  const AbiVersion abi = abi_of(exported);
  if (!abi_fits(kHostAbi, abi)) {
    return refusal("it was built for plugin contract " + abi_text(abi),
                   abi_text(kHostAbi) + ", this program's");
  }
  const auto plugin = in_our_layout<aprx_plugin>(&exported);
  if (plugin.kind != static_cast<uint32_t>(kind)) {
    return refusal("its kind is " + kind_text(plugin.kind),
                   std::string(plugin_kind_name(kind)) + ", as the file's name says");
  }
  if (plugin.name == nullptr) return refusal("it has no name");
  if (plugin.name != name) {
    return refusal("its name is " + std::string(plugin.name), name + ", as the file's name says");
  }
  if (plugin.version == nullptr) return refusal("it has no version");
  if (auto complete = check_functions(&plugin, kPluginFunctions); !complete) return complete.error();
  return plugin;
}

Result<aprx_backend> read_backend(const void* table) {
  return read_table<aprx_backend>(table, kBackendFunctions);
}

Result<aprx_format> read_format(const void* table) {
  return read_table<aprx_format>(table, kFormatFunctions);
}

}  // namespace aprx
